import { SPLIT_STORY } from '../../../shared/alert-rules/two-stores.ts'
import type { Split, SwitchRun } from '../../../shared/switch.ts'
import { useNow } from '../../state/clock.ts'
import { act } from '../../state/switch.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { lookForName } from './look-for-name.ts'
import { useSwitchNow } from './step-props.ts'
import { openStrays } from './step-state.ts'

const SHOWN = 5

/** What must not be overlooked, whichever step is due. */
export function Trouble({ run }: { readonly run: SwitchRun }) {
  const splits = useSwitchNow(now => now.splits) ?? []
  const strays = openStrays(run)
  return (
    <>
      {splits.length > 0 && <Splits run={run} splits={splits} />}
      {strays.length > 0 && <Strays run={run} strays={strays} />}
    </>
  )
}

function Splits({ run, splits }: { readonly run: SwitchRun; readonly splits: readonly Split[] }) {
  const now = useNow()
  const words = t.switch.trouble
  const inStore = [run.from, run.to].map(side => words.inStore(shownText(side.storeName, 60)))
  return (
    <section className="trouble" aria-label={words.splitTitle(splits.length)}>
      <h2>
        <Icon name="alert" size={15} />
        <span className="trouble-title">{words.splitTitle(splits.length)}</span>
      </h2>
      <p>{words.splitText}</p>
      <table className="numbers">
        <caption className="visually-hidden">{words.splitTitle(splits.length)}</caption>
        <thead>
          <tr>
            <th scope="col">{words.columns.name}</th>
            {inStore.map(store => (
              <th key={store} scope="col">
                {store}
              </th>
            ))}
            <th scope="col">{words.columns.since}</th>
          </tr>
        </thead>
        <tbody>
          {splits.slice(0, SHOWN).map(({ name, fromHolder, toHolder, fromKey, toKey, since }) => (
            <tr key={name}>
              <th scope="row">
                <Button look="link" className="mono" title={words.compare} onClick={() => lookForName(name)}>
                  {shownText(name, 120)}
                </Button>
              </th>
              <td title={shownText(fromKey, 200)}>{holderOf(fromHolder)}</td>
              <td title={shownText(toKey, 200)}>{holderOf(toHolder)}</td>
              <td className="number">{t.switch.stop.ago(now - since)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {splits.length > SHOWN && <p>{words.more(splits.length - SHOWN)}</p>}
      <WhyTwoBreak />
    </section>
  )
}

function Strays({ run, strays }: { readonly run: SwitchRun; readonly strays: SwitchRun['strays'] }) {
  const now = useNow()
  const words = t.switch.trouble
  return (
    <section className="trouble" data-tone="warn" aria-label={words.strayTitle(strays.length)}>
      <h2>
        <Icon name="warning" size={15} />
        <span className="trouble-title">{words.strayTitle(strays.length)}</span>
        <Button onClick={() => void act('switch.back', { switchId: run.switchId, step: 'stop' })}>
          {words.backToStop}
        </Button>
      </h2>
      <p>{words.strayText}</p>
      <table className="numbers">
        <caption className="visually-hidden">{words.strayTitle(strays.length)}</caption>
        <thead>
          <tr>
            <th scope="col">{words.columns.holder}</th>
            <th scope="col">{words.columns.key}</th>
            <th scope="col">{words.columns.when}</th>
          </tr>
        </thead>
        <tbody>
          {strays.slice(0, SHOWN).map(({ key, holder, at }) => (
            <tr key={`${key} ${at}`}>
              <th scope="row">{holderOf(holder)}</th>
              <td className="mono">{shownText(key, 120)}</td>
              <td className="number">{t.switch.stop.ago(now - at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {strays.length > SHOWN && <p>{words.more(strays.length - SHOWN)}</p>}
    </section>
  )
}

export function WhyTwoBreak() {
  const words = t.switch.trouble
  return (
    <details className="alert-next">
      <summary>{words.why}</summary>
      <ol>
        {SPLIT_STORY.map(part => (
          <li key={part}>{part}</li>
        ))}
      </ol>
    </details>
  )
}

function holderOf(holder: string | null): string {
  return holder === null ? t.switch.trouble.noHolder : shownText(holder, 100)
}
