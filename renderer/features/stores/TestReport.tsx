import { useStore } from 'zustand'
import type { Result } from '../../../shared/result.ts'
import { CAPABILITIES, type StoreTest } from '../../../shared/stores.ts'
import { consoleStore } from '../../state/console.ts'
import { Icon } from '../../ui/Icon.tsx'
import { sentence, shownText, t } from '../../words/words.ts'
import styles from './TestReport.module.css'

export function TestReport({ result }: { readonly result: Result<StoreTest> }) {
  const formats = useStore(consoleStore, state => state.formats)
  const words = t.stores
  if (!result.ok)
    return (
      <div className={styles.report} data-outcome="failed" role="status">
        <p>
          <Icon name="alert" /> {words.testFailed} {sentence(result.error.message)}
        </p>
      </div>
    )
  const { server, latencyMs, clock, capabilities, scanned, unrecognised, complete, problems } = result.value
  const found = result.value.formats.map(({ format, count }) =>
    words.testFormat(formats.get(format)?.title ?? format, count),
  )
  const may = CAPABILITIES.filter(each => capabilities.includes(each))
  const mayNot = CAPABILITIES.filter(each => !capabilities.includes(each))
  const named = (all: typeof may) => all.map(each => words.capabilities[each])
  return (
    <div className={styles.report} data-outcome="passed" role="status">
      <p>
        <Icon name="check" /> {words.testServer(shownText(server, 80), latencyMs)}{' '}
        {clock.offsetMs === null ? words.testNoClock : words.testClock(clock.offsetMs, clock.errorMs)}
      </p>
      <p>
        {found.length === 0 ? words.testNone(scanned) : words.testFormats(found, complete)}{' '}
        {unrecognised > 0 && words.testUnrecognised(unrecognised)}
      </p>
      <p>
        {may.length > 0 && words.testMay(named(may))} {mayNot.length > 0 && words.testMayNot(named(mayNot))}
      </p>
      {problems.map(({ where, message }) => (
        <p key={where}>
          <Icon name="alert" /> {shownText(where, 80)}: {sentence(message)}
        </p>
      ))}
    </div>
  )
}
