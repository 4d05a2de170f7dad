import { useState } from 'react'
import { useStore } from 'zustand'
import { readText } from '../../../shared/client.ts'
import type { SwitchRun } from '../../../shared/switch.ts'
import { countOf, lastPassed } from '../../../shared/switch-steps.ts'
import { STEP_WORDS } from '../../../shared/switch-words.ts'
import { consoleStore } from '../../state/console.ts'
import { openOrEnd } from '../../state/stream.ts'
import { showSwitch } from '../../state/switch.ts'
import { Button } from '../../ui/Button.tsx'
import cardStyles from '../../ui/Card.module.css'
import { Card } from '../../ui/Card.tsx'
import { DataTable } from '../../ui/DataTable.tsx'
import { useRequest } from '../../ui/Dialog.tsx'
import { Segments } from '../../ui/Field.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { fileTime, saveFile } from '../../ui/save-file.ts'
import { ViewBody } from '../../ui/View.tsx'
import { sentence, shownText, t } from '../../words/words.ts'
import { storeName } from './parts.tsx'
import { RunHead } from './RunView.tsx'
import styles from './Summary.module.css'
import partStyles from './SwitchParts.module.css'

type Props = { readonly run: SwitchRun; readonly ended: NonNullable<SwitchRun['ended']> }

const LOOKS = {
  checked: { tone: 'live', icon: 'check' },
  finished: { tone: 'warn', icon: 'warning' },
  abandoned: { tone: undefined, icon: 'dash' },
} as const

/** The outcome of an ended switch and the steps it took. */
export function Summary({ run, ended }: Props) {
  const words = t.switch.summary
  // Green stands for a check that was met, not for an operator's confirmation.
  const isChecked = ended.how === 'finished' && lastPassed(run, 'verify')?.checked === true
  const title = ended.how === 'finished' && !isChecked ? words.byHand : words[ended.how]
  const { tone, icon } = LOOKS[isChecked ? 'checked' : ended.how]
  const took = ended.at - run.begunAt
  const findings = [
    [countOf(run, 'strays'), words.straysSaid(countOf(run, 'strays'))],
    [countOf(run, 'splits'), words.splitsSaid(countOf(run, 'splits'))],
  ] as const
  return (
    <>
      <RunHead run={run} />
      <ViewBody label={title} className={styles.summary}>
        <header className={styles.outcome} data-tone={tone}>
          <Icon name={icon} size={22} />
          <div>
            <h2>{title}</h2>
            <p>
              {ended.how === 'finished'
                ? words.finishedText(storeName(run.from), storeName(run.to), took)
                : words.abandonedText(STEP_WORDS[run.step].title, took)}{' '}
              <span className="muted">{words.endedBy(ended.at, shownText(ended.by, 40))}</span>
            </p>
            {ended.reason !== null && <p>{words.reason(shownText(ended.reason, 400))}</p>}
          </div>
          <Button onClick={() => showSwitch(null)}>{words.again}</Button>
        </header>
        <PassedSteps run={run} />
        {run.envChanges.length > 0 && (
          <Card label={words.env} titled>
            {run.envChanges.map(({ file, copy, before, after, at }) => (
              <dl key={at} className={partStyles.facts}>
                <dt>{t.dateTime(at)}</dt>
                <dd>
                  <code>{words.envLine(shownText(before ?? words.unset, 60), shownText(after, 60))}</code>{' '}
                  <span className="mono">{shownText(file, 300)}</span>
                </dd>
                <dt>{t.switch.change.copyAt}</dt>
                <dd className="mono">{shownText(copy, 300)}</dd>
              </dl>
            ))}
          </Card>
        )}
        <ul className={styles.findings}>
          {findings.map(([count, said]) => (
            <li key={said} data-tone={count === 0 ? 'live' : 'warn'}>
              <Icon name={count === 0 ? 'check' : 'warning'} /> {said}
            </li>
          ))}
        </ul>
        <SaveReport run={run} />
      </ViewBody>
    </>
  )
}

function PassedSteps({ run: { passed } }: { readonly run: SwitchRun }) {
  const words = t.switch.summary
  const held = (n: number | null) => (n === null ? words.unknown : t.number(n))
  const byHand = (reason: string | null) =>
    sentence(t.switch.byHandWhy(shownText(reason ?? words.unknown, 300)))
  return (
    <Card label={words.steps} titled>
      <DataTable
        caption={words.steps}
        className={styles.passed}
        rows={passed}
        keyOf={({ step, at }) => `${step} ${at}`}
        columns={[
          [words.columns.step, ({ step }) => STEP_WORDS[step].title, 'head'],
          [words.columns.at, ({ at }) => t.clockTime(at), 'number'],
          [words.columns.by, ({ by }) => shownText(by, 40)],
          [
            words.columns.how,
            ({ checked, reason }) => (
              <span className={styles.how} data-tone={checked ? 'live' : 'warn'}>
                {checked ? words.byCheck : byHand(reason)}
              </span>
            ),
          ],
          [words.columns.held, ({ fromHeld, toHeld }) => words.held(held(fromHeld), held(toHeld)), 'number'],
        ]}
      />
    </Card>
  )
}

const FORMATS = ['html', 'md', 'json'] as const

function SaveReport({ run }: { readonly run: SwitchRun }) {
  const [format, setFormat] = useState<(typeof FORMATS)[number]>('html')
  const [saved, setSaved] = useState<string | null>(null)
  const isWindow = useStore(consoleStore, state => state.info?.host === 'electron')
  const words = t.switch.report
  const save = useRequest(
    () => {
      setSaved(null)
      return readText(openOrEnd, 'switch.report', { switchId: run.switchId, as: format })
    },
    pieces => {
      const name = `lockkeeper-switch-${fileTime(run.begunAt)}.${format}`
      saveFile(name, pieces)
      setSaved(name)
    },
  )
  return (
    <Card label={words.title} titled>
      <p className={`${cardStyles.note} muted`}>{words.text}</p>
      <div className={styles.save}>
        <Segments
          label={words.format}
          value={format}
          options={FORMATS.map(each => [each, words.formats[each]] as const)}
          onChange={setFormat}
        />
        <Button look="primary" disabled={save.working} onClick={save.run}>
          {save.working ? words.saving : words.save}
        </Button>
      </div>
      {saved !== null && (
        <p className={styles.saved} role="status">
          {(isWindow ? words.handedOver : words.saved)(saved)}
        </p>
      )}
      <ErrorNotice what={words.failed} error={save.error} />
    </Card>
  )
}
