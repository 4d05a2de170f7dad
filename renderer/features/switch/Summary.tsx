import type { PassedStep, SwitchRun } from '../../../shared/switch.ts'
import { STEP_WORDS } from '../../../shared/switch-words.ts'
import { showSwitch } from '../../state/switch.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { sentence, shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { SaveReport } from './SaveReport.tsx'
import { lastPassed } from './step-state.ts'
import { WalkHead } from './WalkHead.tsx'

type Props = { readonly run: SwitchRun; readonly ended: NonNullable<SwitchRun['ended']> }

/** A switch that is over: what became of it, and what was done on the way. */
export function Summary({ run, ended }: Props) {
  const words = t.switch.summary
  const took = ended.at - run.begunAt
  const isDone = ended.how === 'finished'
  // Green is for what the last check has seen, and not for what somebody was sure of.
  const isSeen = isDone && lastPassed(run, 'verify')?.checked === true
  const title = isDone && !isSeen ? words.byHand : words[ended.how]
  return (
    <>
      <WalkHead run={run} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keys */}
      <div className="view-body switch-summary" tabIndex={0} role="group" aria-label={title}>
        <header className="summary-head" data-tone={isSeen ? 'live' : isDone ? 'warn' : undefined}>
          <Icon name={isSeen ? 'check' : isDone ? 'warning' : 'dash'} size={22} />
          <div>
            <h2>{title}</h2>
            <p>
              {isDone
                ? words.finishedText(shownText(run.from.storeName, 60), shownText(run.to.storeName, 60), took)
                : words.abandonedText(STEP_WORDS[run.step].title, took)}{' '}
              <span className="muted">{words.endedBy(ended.at, shownText(ended.by, 40))}</span>
            </p>
            {ended.reason !== null && <p>{words.reason(shownText(ended.reason, 400))}</p>}
          </div>
          <Button onClick={() => showSwitch(null)}>{words.again}</Button>
        </header>
        <PassedTable passed={run.passed} />
        {run.envChanges.length > 0 && (
          <section className="card" aria-label={words.env}>
            <header className="card-head">
              <h2>{words.env}</h2>
            </header>
            {run.envChanges.map(({ file, copy, before, after, at }) => (
              <dl key={at} className="env-facts">
                <dt>{t.dateTime(at)}</dt>
                <dd>
                  <code>{words.envLine(shownText(before ?? words.unset, 60), shownText(after, 60))}</code>{' '}
                  <span className="mono">{shownText(file, 300)}</span>
                </dd>
                <dt>{t.switch.change.copyAt}</dt>
                <dd className="mono">{shownText(copy, 300)}</dd>
              </dl>
            ))}
          </section>
        )}
        <ul className="summary-facts">
          <Fact isGood={run.strays.length === 0} text={words.straysSaid(run.strays.length)} />
          <Fact isGood={run.splits.length === 0} text={words.splitsSaid(run.splits.length)} />
        </ul>
        <SaveReport run={run} />
      </div>
    </>
  )
}

function Fact({ isGood, text }: { readonly isGood: boolean; readonly text: string }) {
  return (
    <li data-tone={isGood ? 'live' : 'warn'}>
      <Icon name={isGood ? 'check' : 'warning'} /> {text}
    </li>
  )
}

function PassedTable({ passed }: { readonly passed: readonly PassedStep[] }) {
  const words = t.switch.summary
  const held = (n: number | null) => (n === null ? words.unknown : t.number(n))
  return (
    <section className="card" aria-label={words.steps}>
      <header className="card-head">
        <h2>{words.steps}</h2>
      </header>
      <table className="numbers passed">
        <caption className="visually-hidden">{words.steps}</caption>
        <thead>
          <tr>
            {Object.entries(words.columns).map(([id, name]) => (
              <th key={id} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {passed.map(({ step, at, by, checked, reason, fromHeld, toHeld }) => (
            <tr key={`${step} ${at}`}>
              <th scope="row">{STEP_WORDS[step].title}</th>
              <td className="number">{t.clockTime(at)}</td>
              <td>{shownText(by, 40)}</td>
              <td className="passed-how" data-tone={checked ? 'live' : 'warn'}>
                {checked
                  ? words.byCheck
                  : sentence(t.switch.byHandWhy(shownText(reason ?? words.unknown, 300)))}
              </td>
              <td className="number">{words.held(held(fromHeld), held(toHeld))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
