import type { HandlersOf } from '../../lib/handler.ts'
import { type ReportSources, writeReport } from './switch-report.ts'
import type { Switches } from './switches.ts'

export function switchHandlers(switches: Switches, sources: ReportSources): HandlersOf<'switch'> {
  return {
    'switch.list': () => switches.list(),
    'switch.begin': (input, { signal }) => switches.begin(input, signal),
    'switch.pass': input => switches.pass(input),
    'switch.back': input => switches.back(input),
    'switch.abandon': input => switches.abandon(input),
    'switch.envPreview': input => switches.envPreview(input),
    'switch.envChange': input => switches.envChange(input),
    'switch.plan': ({ switchId }, { signal, action }) => switches.plan(switchId, signal, action),
    'switch.watch': ({ switchId }, signal) => sources.runs.watch(switchId, signal),
    'switch.report': input => writeReport(sources, input),
  }
}
