import type { z } from 'zod'
import { alertMethods, alertStreams } from './alerts.ts'
import { auditMethods } from './audit.ts'
import { consoleMethods } from './console.ts'
import { holdMethods, holdStreams } from './holds.ts'
import { keyMethods } from './keys.ts'
import { lockMethods, lockStreams } from './locks.ts'
import { planMethods, planStreams } from './plans.ts'
import { reportStreams } from './reports.ts'
import { statsMethods } from './stats.ts'
import { storeMethods, storeStreams } from './stores.ts'
import { switchMethods, switchStreams } from './switch.ts'

/**
 * Everything a screen can ask of the core. Each capability declares its methods and streams in the file of its name; a new method
 * is an entry there and a handler in core, and hosts and transports stay as they are.
 */
export const methods = {
  ...consoleMethods,
  ...storeMethods,
  ...lockMethods,
  ...planMethods,
  ...keyMethods,
  ...auditMethods,
  ...statsMethods,
  ...alertMethods,
  ...switchMethods,
  ...holdMethods,
}

export const streams = {
  ...storeStreams,
  ...lockStreams,
  ...planStreams,
  ...alertStreams,
  ...reportStreams,
  ...switchStreams,
  ...holdStreams,
}

export type MethodName = keyof typeof methods
export type Input<M extends MethodName> = z.infer<(typeof methods)[M]['input']>
export type Output<M extends MethodName> = z.infer<(typeof methods)[M]['output']>
export type StreamName = keyof typeof streams
export type StreamInput<S extends StreamName> = z.infer<(typeof streams)[S]['input']>
export type StreamEvent<S extends StreamName> = z.infer<(typeof streams)[S]['event']>
