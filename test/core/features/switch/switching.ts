import { realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { SwitchNow, SwitchRun, SwitchStep } from '../../../../shared/switch.ts'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { openConsole } from '../console.ts'
import type { WorkPlace } from './work-places.ts'

/** The shortest quiet time that a switch accepts. */
export const QUIET_MS = 1000

type Seen = { readonly run: SwitchRun; readonly now: SwitchNow }

/** A console with two live stores, and an open switch between them. */
export async function switching(from: WorkPlace, to: WorkPlace, folder = dataFolder()) {
  const console = openConsole(folder, { stores: [from.address, to.address] })
  const idOf = (address: string) =>
    console.list()?.stores.find(each => each.address === address)?.storeId ?? null
  await expect.poll(() => idOf(from.address) !== null && idOf(to.address) !== null).toBe(true)
  const fromStoreId = idOf(from.address) as string
  const toStoreId = idOf(to.address) as string
  const begin = () => console.ask('switch.begin', { fromStoreId, toStoreId, quietMs: QUIET_MS })
  // Clients are loaded when the first store of their kind is opened.
  await expect.poll(() => begin().then(() => 'begun', String)).toBe('begun')
  const { switchId } = await begin()

  let last: Seen | null = null
  const events: Seen[] = []
  const leave = console.client.open(
    'switch.watch',
    { switchId },
    event => {
      last = event
      events.push(event)
    },
    () => {},
  )
  const seen = (): Seen => {
    if (!last) throw new Error('nothing was told yet')
    return last
  }
  await expect.poll(() => last !== null).toBe(true)
  const check = (step: SwitchStep) => seen().now.checks[step].is
  const until = (what: () => unknown, is: unknown): Promise<void> =>
    expect.poll(what, { interval: 50 }).toEqual(is)
  // A lock that is acquired before the first poll would be found, and not seen to be acquired.
  await until(() => [seen().now.from.status, seen().now.to.status], ['live', 'live'])
  return {
    ...console,
    ...{ switchId, fromStoreId, toStoreId, begin, seen, events, leave, check, until },
    met: (step: SwitchStep) => until(() => check(step), 'met'),
    pass: (step: SwitchStep, reason?: string) =>
      console.ask('switch.pass', { switchId, step, ...(reason === undefined ? {} : { reason }) }),
    /** Once its check is met. */
    async go(...steps: SwitchStep[]) {
      for (const step of steps) {
        await until(() => check(step), 'met')
        // Under load a gap in the polls may turn a check back for a moment.
        await until(
          () => console.ask('switch.pass', { switchId, step }).then(() => 'passed', String),
          'passed',
        )
      }
    },
    run: async () =>
      (await console.ask('switch.list', {})).find(each => each.switchId === switchId) as SwitchRun,
    async report(as: 'md' | 'html' | 'json') {
      let text = ''
      await new Promise<void>((resolve, reject) => {
        console.client.open(
          'switch.report',
          { switchId, as },
          event => {
            text += event.text
          },
          result => (result.ok ? resolve() : reject(new Error(result.error.message))),
        )
      })
      return text
    },
    /** Releases everything in the old store, as the screen would. */
    async clean() {
      const plan = await console.ask('switch.plan', { switchId })
      const confirm = plan.stores.map(store => `${store.name} ${plan.count}-${plan.code}`)
      await console.ask('plans.apply', { planId: plan.planId, confirm, reason: 'left behind', rate: 1000 })
      return plan
    },
    /** Changes the file as somebody would who has seen what changes. */
    async changeEnv(file: string) {
      const preview = await console.ask('switch.envPreview', { switchId, file })
      return console.ask('switch.envChange', {
        ...{ switchId, file: preview?.file ?? '', digest: preview?.digest ?? '' },
      })
    },
  }
}

export function envFile(text: string): string {
  const file = join(realpathSync(dataFolder()), '.env')
  writeFileSync(file, text)
  return file
}
