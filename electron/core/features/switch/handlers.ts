import type { HandlersOf } from '../../lib/handler.ts'
import type { SwitchReports } from './switch-report.ts'
import type { Switches } from './switches.ts'

export function switchHandlers(switches: Switches, reports: SwitchReports): HandlersOf<'switch'> {
  return {
    'switch.list': () => switches.list(),
    'switch.begin': (input, { signal }) => switches.begin(input, signal),
    'switch.pass': input => switches.pass(input),
    'switch.back': input => switches.back(input),
    'switch.abandon': input => switches.abandon(input),
    'switch.envPreview': input => switches.envPreview(input),
    'switch.envChange': input => switches.envChange(input),
    'switch.plan': ({ switchId }, { signal, action }) => switches.plan(switchId, signal, action),
    'switch.watch': ({ switchId }, signal) => switches.watch(switchId, signal),
    'switch.report': ({ switchId, as }) => reports.write(switchId, as),
  }
}
