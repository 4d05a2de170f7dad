import { Fragment, type ReactNode, useEffect, useState } from 'react'
import { kindOf } from '../../../shared/kinds.ts'
import type { Failure } from '../../../shared/result.ts'
import type { EnvPreview, SwitchRun } from '../../../shared/switch.ts'
import { providerLine } from '../../../shared/switch-words.ts'
import { ask } from '../../state/console.ts'
import { act } from '../../state/switch.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import fieldStyles from '../../ui/Field.module.css'
import { TextField } from '../../ui/Field.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { sentence, shownText } from '../../ui/shown-text.ts'
import viewStyles from '../../ui/View.module.css'
import { t } from '../../words/words.ts'
import styles from './Switch.module.css'
import { type StepProps, useSwitchNow } from './use-switch.ts'

type Work = 'looking' | 'changing'

export function ChangeStep({ run }: StepProps) {
  const words = t.switch.change
  const line = providerLine(run)
  if (line === null)
    // Both stores are of one kind: only the connection changes, by variables whose names only the programs know.
    return (
      <Card label={words.variables} titled>
        <ul className={styles.variables}>
          {kindOf(run.to.kind).variables.map(name => (
            <li key={name}>
              <code>{name}</code>
            </li>
          ))}
        </ul>
      </Card>
    )
  return (
    <>
      <FileChange run={run} />
      <Card label={words.wantedLine}>
        <p className="muted">{words.byHand}</p>
        <p className={styles.wantedLine}>
          <code>{line}</code>
          <CopyButton text={line} label={words.copyLine} done={words.copied} />
        </p>
      </Card>
    </>
  )
}

/** Shows exactly what would change in a file, and changes that and nothing else. */
function FileChange({ run }: StepProps) {
  const { switchId, envFile } = run
  const [file, setFile] = useState(envFile ?? '')
  /** The preview and the path that was typed for it: core knows the file by its full path. */
  const [shown, setShown] = useState<{ typed: string | null; preview: EnvPreview | null } | null>(null)
  const [working, setWorking] = useState<Work | null>(null)
  const [error, setError] = useState<{ of: Work; failure: Failure } | null>(null)
  const words = t.switch.change
  const typed = file.trim() || null
  // An empty field points the switch away from its file.
  const mayLook = typed !== null || envFile !== null
  const preview = shown?.typed === typed ? shown.preview : null
  const isDue = run.step === 'change'

  async function look(path: string | null) {
    setWorking('looking')
    setError(null)
    const answer = await ask('switch.envPreview', { switchId, file: path })
    setWorking(null)
    setShown(answer.ok ? { typed: path, preview: answer.value } : null)
    if (!answer.ok) setError({ of: 'looking', failure: answer.error })
  }

  async function change(from: EnvPreview) {
    setWorking('changing')
    setError(null)
    const answer = await act('switch.envChange', { switchId, file: from.file, digest: from.digest })
    setWorking(null)
    // The preview is no longer what would happen, whether the file was changed or not.
    setShown(null)
    if (!answer.ok) setError({ of: 'changing', failure: answer.error })
  }

  const isChanged = run.envChanges.length > 0
  // After a restart, the preview of the same file is shown again, unless the file was changed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the step is opened
  useEffect(() => {
    if (isDue && envFile !== null && !isChanged) void look(envFile)
  }, [])

  const lookText = preview || error ? words.lookAgain : words.look
  return (
    <Card label={words.file} className={styles.stack}>
      <form
        className={styles.fileForm}
        onSubmit={event => {
          event.preventDefault()
          if (mayLook) void look(typed)
        }}
      >
        <TextField
          label={words.file}
          hint={words.fileHint}
          value={file}
          onChange={setFile}
          maxLength={4096}
          mono
        />
        <Button type="submit" disabled={working !== null || !mayLook}>
          {typed === null && mayLook ? words.lookAway : lookText}
        </Button>
      </form>
      <FileNow run={run} />
      {error && <ErrorNotice what={sayFailed(error.of, error.failure)} error={error.failure} />}
      {preview && (
        <Difference
          preview={preview}
          isDue={isDue}
          working={working === 'changing'}
          onChange={() => void change(preview)}
        />
      )}
    </Card>
  )
}

function sayFailed(of: Work, { uncertain }: Failure): string {
  const words = t.switch.change
  if (of === 'looking') return words.noPreview
  return uncertain ? words.uncertain : words.refused
}

/** What the file says now, and the last change of it. */
function FileNow({ run }: { readonly run: SwitchRun }) {
  const env = useSwitchNow(now => now.env)
  const is = useSwitchNow(now => now.checks.change?.is ?? null)
  const words = t.switch.change
  const last = run.envChanges.at(-1)
  if (!env && !last) return null
  return (
    <dl className={styles.facts}>
      {env && (
        <>
          <dt>{words.live}</dt>
          <dd data-check={is ?? undefined}>{sayEnv(env)}</dd>
        </>
      )}
      {last && (
        <>
          <dt>{words.done(last.at, shownText(last.by, 40))}</dt>
          <dd className="mono">{shownText(last.file, 400)}</dd>
          <dt>{words.copyAt}</dt>
          <dd className="mono">{shownText(last.copy, 400)}</dd>
        </>
      )}
    </dl>
  )
}

function sayEnv({ problem, value }: { problem: string | null; value: string | null }): ReactNode {
  const words = t.switch.change
  if (problem !== null) return `${words.liveProblem} ${sentence(problem)}`
  return value === null ? words.liveNothing : <code>LOCK_PROVIDER={shownText(value, 80)}</code>
}

type DifferenceProps = {
  readonly preview: EnvPreview
  /** A file is changed only at this step of the switch. */
  readonly isDue: boolean
  readonly working: boolean
  readonly onChange: () => void
}

function Difference({ preview: { lines, copy, wanted }, isDue, working, onChange }: DifferenceProps) {
  const words = t.switch.change
  if (lines.length === 0)
    return <p className={`${viewStyles.notice} ${viewStyles.calm}`}>{words.already(shownText(wanted, 60))}</p>
  return (
    <div className={styles.preview}>
      <table className={styles.difference} aria-label={words.difference}>
        <tbody>
          {lines.map(({ line, before, after }) => (
            <Fragment key={line}>
              {before !== null && <DifferenceLine sign="−" line={line} text={before} />}
              <DifferenceLine sign="+" line={line} text={after} />
            </Fragment>
          ))}
        </tbody>
      </table>
      <p className={fieldStyles.hint}>{words.others}</p>
      <dl className={styles.facts}>
        <dt>{words.copy}</dt>
        <dd className="mono">{shownText(copy, 400)}</dd>
      </dl>
      <Button look="primary" disabled={working || !isDue} onClick={onChange}>
        {working ? words.applying : words.apply}
      </Button>
    </div>
  )
}

type LineProps = { readonly sign: '−' | '+'; readonly line: number; readonly text: string }

function DifferenceLine({ sign, line, text }: LineProps) {
  return (
    <tr data-sign={sign === '+' ? 'added' : 'removed'}>
      <td title={t.switch.change.line(line)}>{line}</td>
      <td>{sign}</td>
      <td>{shownText(text, 400)}</td>
    </tr>
  )
}
