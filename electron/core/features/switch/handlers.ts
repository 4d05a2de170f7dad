import type { HandlersOf } from '../../lib/handler.ts'
import type { SwitchReports } from './switch-report.ts'
import type { Switches } from './switches.ts'

export function switchHandlers(switches: Switches, reports: SwitchReports): HandlersOf<'switch'> {
  return {
    methods: {
      'switch.list': () => switches.list(),
      'switch.begin': (input, { signal, action }) => switches.begin(input, signal, action),
      'switch.pass': (input, { action }) => switches.pass(input, action),
      'switch.back': (input, { action }) => switches.back(input, action),
      'switch.abandon': (input, { action }) => switches.abandon(input, action),
      'switch.envPreview': (input, { action }) => switches.envPreview(input, action),
      'switch.envChange': (input, { action }) => switches.envChange(input, action),
      'switch.plan': ({ switchId }, { signal, action }) => switches.plan(switchId, signal, action),
    },
    streams: {
      'switch.watch': ({ switchId }, signal) => switches.watch(switchId, signal),
      'switch.report': ({ switchId, as }) => reports.write(switchId, as),
    },
  }
}
