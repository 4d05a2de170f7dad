import { useState } from 'react'
import { useStore } from 'zustand'
import type { Result } from '../../../shared/result.ts'
import type { SwitchRun } from '../../../shared/switch.ts'
import { STEP_WORDS } from '../../../shared/switch-words.ts'
import { client, consoleStore } from '../../state/console.ts'
import { showSwitch } from '../../state/switch.ts'
import { Button } from '../../ui/Button.tsx'
import cardStyles from '../../ui/Card.module.css'
import { Card } from '../../ui/Card.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { Segments } from '../../ui/Segments.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { sentence, shownText } from '../../ui/shown-text.ts'
import { ViewBody } from '../../ui/View.tsx'
import { t } from '../../words/words.ts'
import { DataTable } from './parts.tsx'
import { RunHead } from './RunView.tsx'
import styles from './Switch.module.css'
import { lastPassed } from './step-state.ts'
import { useSend } from './use-switch.ts'

type Props = { readonly run: SwitchRun; readonly ended: NonNullable<SwitchRun['ended']> }

/** A switch that has ended: its outcome, and what was done. */
export function Summary({ run, ended }: Props) {
  const words = t.switch.summary
  // Green is for what the last check has seen, not for what an operator was sure of.
  const isChecked = ended.how === 'finished' && lastPassed(run, 'verify')?.checked === true
  const title = ended.how === 'finished' && !isChecked ? words.byHand : words[ended.how]
  return (
    <>
      <RunHead run={run} />
      <ViewBody label={title} className={styles.summary}>
        <Outcome run={run} ended={ended} title={title} isChecked={isChecked} />
        <PassedSteps run={run} />
        {run.envChanges.length > 0 && (
          <Card label={words.env} titled>
            {run.envChanges.map(({ file, copy, before, after, at }) => (
              <dl key={at} className={styles.facts}>
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
          <Finding isGood={run.strays.length === 0} text={words.straysSaid(run.strays.length)} />
          <Finding isGood={run.splits.length === 0} text={words.splitsSaid(run.splits.length)} />
        </ul>
        <SaveReport run={run} />
      </ViewBody>
    </>
  )
}

type OutcomeProps = Props & { readonly title: string; readonly isChecked: boolean }

function Outcome({ run, ended, title, isChecked }: OutcomeProps) {
  const words = t.switch.summary
  const took = ended.at - run.begunAt
  const look = isChecked
    ? ({ tone: 'live', icon: 'check' } as const)
    : (
        { finished: { tone: 'warn', icon: 'warning' }, abandoned: { tone: undefined, icon: 'dash' } } as const
      )[ended.how]
  const [from, to] = [shownText(run.from.storeName, 60), shownText(run.to.storeName, 60)]
  return (
    <header className={styles.outcome} data-tone={look.tone}>
      <Icon name={look.icon} size={22} />
      <div>
        <h2>{title}</h2>
        <p>
          {ended.how === 'finished'
            ? words.finishedText(from, to, took)
            : words.abandonedText(STEP_WORDS[run.step].title, took)}{' '}
          <span className="muted">{words.endedBy(ended.at, shownText(ended.by, 40))}</span>
        </p>
        {ended.reason !== null && <p>{words.reason(shownText(ended.reason, 400))}</p>}
      </div>
      <Button onClick={() => showSwitch(null)}>{words.again}</Button>
    </header>
  )
}

function Finding({ isGood, text }: { readonly isGood: boolean; readonly text: string }) {
  return (
    <li data-tone={isGood ? 'live' : 'warn'}>
      <Icon name={isGood ? 'check' : 'warning'} /> {text}
    </li>
  )
}

function PassedSteps({ run: { passed } }: { readonly run: SwitchRun }) {
  const words = t.switch.summary
  const { columns } = words
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
          { title: columns.step, kind: 'head', cell: ({ step }) => STEP_WORDS[step].title },
          { title: columns.at, kind: 'number', cell: ({ at }) => t.clockTime(at) },
          { title: columns.by, cell: ({ by }) => shownText(by, 40) },
          {
            title: columns.how,
            cell: ({ checked, reason }) => (
              <span className={styles.how} data-tone={checked ? 'live' : 'warn'}>
                {checked ? words.byCheck : byHand(reason)}
              </span>
            ),
          },
          {
            title: columns.held,
            kind: 'number',
            cell: ({ fromHeld, toHeld }) => words.held(held(fromHeld), held(toHeld)),
          },
        ]}
      />
    </Card>
  )
}

const FORMATS = ['html', 'md', 'json'] as const
type Format = (typeof FORMATS)[number]
const FILE_TYPES: Record<Format, string> = {
  md: 'text/markdown',
  html: 'text/html',
  json: 'application/json',
}

function SaveReport({ run }: { readonly run: SwitchRun }) {
  const [format, setFormat] = useState<Format>('html')
  const [saved, setSaved] = useState<string | null>(null)
  const { working, error, send } = useSend()
  const isWindow = useStore(consoleStore, state => state.info?.host === 'electron')
  const words = t.switch.report
  const save = async () => {
    setSaved(null)
    const name = fileName(run, format)
    const answer = await send(() => readReport(run.switchId, format))
    if (!answer.ok) return
    saveFile(name, answer.value, FILE_TYPES[format])
    setSaved(name)
  }
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
        <Button look="primary" disabled={working} onClick={() => void save()}>
          {working ? words.saving : words.save}
        </Button>
      </div>
      {saved !== null && (
        <p className={styles.saved} role="status">
          {(isWindow ? words.handedOver : words.saved)(saved)}
        </p>
      )}
      <ErrorNotice what={words.failed} error={error} />
    </Card>
  )
}

/** Letters and digits only, by when the switch started. */
function fileName({ begunAt }: SwitchRun, as: Format): string {
  const at = new Date(begunAt).toISOString().slice(0, 16).replaceAll(/[-:]/g, '').replace('T', '-')
  return `lockkeeper-switch-${at}.${as}`
}

/** A report that broke off is an error, and nothing is saved. */
function readReport(switchId: string, as: Format): Promise<Result<string[]>> {
  const pieces: string[] = []
  return new Promise(resolve => {
    try {
      client.open(
        'switch.report',
        { switchId, as },
        ({ text }) => pieces.push(text),
        result => resolve(result.ok ? { ok: true, value: pieces } : result),
      )
    } catch {
      resolve({ ok: false, error: { code: 'ABORTED', message: t.status.lost } })
    }
  })
}
