import { SWITCH_STEPS, type SwitchRun } from '../../../shared/switch.ts'
import { STEP_WORDS } from '../../../shared/switch-words.ts'
import { showSwitch } from '../../state/switch.ts'
import { Button } from '../../ui/Button.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'

export function SwitchList({ runs }: { readonly runs: readonly SwitchRun[] }) {
  const words = t.switch.list
  return (
    <section className="card switch-list" aria-label={words.title}>
      <header className="card-head">
        <h2>{words.title}</h2>
      </header>
      <table className="numbers">
        <caption className="visually-hidden">{words.title}</caption>
        <thead>
          <tr>
            <th scope="col">{words.columns.between}</th>
            <th scope="col">{words.columns.begun}</th>
            <th scope="col">{words.columns.state}</th>
            <th scope="col">
              <span className="visually-hidden">{words.columns.action}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map(run => {
            const between = words.between(shownText(run.from.storeName, 60), shownText(run.to.storeName, 60))
            const action = run.ended ? words.look : words.resume
            return (
              <tr key={run.switchId}>
                <th scope="row">{between}</th>
                <td>{words.begun(run.begunAt, shownText(run.by, 40))}</td>
                <td data-tone={run.ended ? undefined : 'accent'}>{stateOf(run)}</td>
                <td className="switch-list-action">
                  <Button
                    look={run.ended ? 'link' : 'primary'}
                    aria-label={words.actionOf(action, between)}
                    onClick={() => showSwitch(run.switchId)}
                  >
                    {action}
                  </Button>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

function stateOf({ ended, step }: SwitchRun): string {
  const words = t.switch.list
  if (!ended) return words.underWay(SWITCH_STEPS.indexOf(step) + 1, STEP_WORDS[step].title)
  return words[ended.how](ended.at)
}
