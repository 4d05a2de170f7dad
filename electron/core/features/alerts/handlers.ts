import type { HandlersOf } from '../../lib/handler.ts'
import type { AlertActions } from './alert-actions.ts'
import type { Alerts } from './alerts.ts'

export function alertHandlers(alerts: Alerts, actions: AlertActions): HandlersOf<'alerts'> {
  return {
    methods: {
      'alerts.acknowledge': async (input, { action }) => {
        await actions.acknowledge(input, action)
        return null
      },
      'alerts.mute': (input, { action }) => actions.mute(input, action),
      'alerts.unmute': async ({ muteId }, { action }) => {
        await actions.unmute(muteId, action)
        return null
      },
      'alerts.decide': (input, { action }) => actions.decide(input, action),
    },
    streams: { 'alerts.watch': (_, signal) => alerts.watch(signal) },
  }
}
