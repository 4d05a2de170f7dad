import { useEffect, useState } from 'react'
import { kindOf } from '../../../shared/kinds.ts'
import type { EnvPreview } from '../../../shared/switch.ts'
import { providerLine } from '../../../shared/switch-words.ts'
import { ask } from '../../state/console.ts'
import { act } from '../../state/switch.ts'
import { Button, CopyButton } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { useRequest } from '../../ui/Dialog.tsx'
import fieldStyles from '../../ui/Field.module.css'
import { TextField } from '../../ui/Field.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import viewStyles from '../../ui/View.module.css'
import { sentence, shownText, t } from '../../words/words.ts'
import styles from './ChangeStep.module.css'
import type { StepProps } from './parts.tsx'
import partStyles from './SwitchParts.module.css'

export function ChangeStep({ run, now }: StepProps) {
  const words = t.switch.change
  const line = providerLine(run)
  if (line === null)
    // With two stores of one kind only the connection changes, by variables that each program names itself.
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
      <FileChange run={run} now={now} />
      <Card label={words.wantedLine}>
        <p className="muted">{words.byHand}</p>
        <p className={styles.wantedLine}>
          <code>{line}</code>
          <CopyButton text={line} label={words.copyLine} />
        </p>
      </Card>
    </>
  )
}

/** Previews the change of a file, and makes exactly that change. */
function FileChange({ run, now }: StepProps) {
  const { switchId, envFile } = run
  const [file, setFile] = useState(envFile ?? '')
  /** The preview and the path that was typed for it: core knows the file by its full path. */
  const [shown, setShown] = useState<{ typed: string | null; preview: EnvPreview | null } | null>(null)
  const words = t.switch.change
  const typed = file.trim() || null
  // An empty field points the switch away from its file.
  const mayLook = typed !== null || envFile !== null
  const preview = shown?.typed === typed ? shown.preview : null
  const isDue = run.step === 'change'

  const change = useRequest(async () => {
    const { file: path = '', digest = '' } = preview ?? {}
    const answer = await act('switch.envChange', { switchId, file: path, digest })
    // The preview is outdated now, whether the change succeeded or not.
    setShown(null)
    return answer
  })
  const look = useRequest(async () => {
    change.clear()
    const answer = await ask('switch.envPreview', { switchId, file: typed })
    setShown(answer.ok ? { typed, preview: answer.value } : null)
    return answer
  })
  const error = change.error ?? look.error
  const failed = change.error?.uncertain ? words.uncertain : words.refused

  // After a restart, the preview of the same file is shown again, unless the file was changed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the step is opened
  useEffect(() => {
    if (isDue && envFile !== null && run.envChanges.length === 0) look.run()
  }, [])

  const lookText = preview || error ? words.lookAgain : words.look
  return (
    <Card label={words.file} className={partStyles.stack}>
      <form
        className={styles.fileForm}
        onSubmit={event => {
          event.preventDefault()
          if (mayLook) look.run()
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
        <Button type="submit" disabled={look.working || change.working || !mayLook}>
          {typed === null && mayLook ? words.lookAway : lookText}
        </Button>
      </form>
      <FileFacts run={run} now={now} />
      <ErrorNotice what={change.error ? failed : words.noPreview} error={error} />
      {preview && preview.lines.length === 0 && (
        <p className={`${viewStyles.notice} ${viewStyles.calm}`}>
          {words.already(shownText(preview.wanted, 60))}
        </p>
      )}
      {preview && preview.lines.length > 0 && (
        <div className={styles.preview}>
          <Difference lines={preview.lines} />
          <p className={fieldStyles.hint}>{words.others}</p>
          <dl className={partStyles.facts}>
            <dt>{words.copy}</dt>
            <dd className="mono">{shownText(preview.copy, 400)}</dd>
          </dl>
          {/* A file is changed only at this step of the switch. */}
          <Button look="primary" disabled={change.working || !isDue} onClick={change.run}>
            {change.working ? words.applying : words.apply}
          </Button>
        </div>
      )}
    </Card>
  )
}

/** The file's present value and its last change. */
function FileFacts({ run, now: { env, checks } }: StepProps) {
  const words = t.switch.change
  const last = run.envChanges.at(-1)
  if (!env && !last) return null
  return (
    <dl className={partStyles.facts}>
      {env && (
        <>
          <dt>{words.live}</dt>
          <dd data-check={checks.change.is}>
            {env.problem !== null && `${words.liveProblem} ${sentence(env.problem)}`}
            {env.problem === null && env.value === null && words.liveNothing}
            {env.value !== null && <code>LOCK_PROVIDER={shownText(env.value, 80)}</code>}
          </dd>
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

function Difference({ lines }: Pick<EnvPreview, 'lines'>) {
  const words = t.switch.change
  const rows = lines.flatMap(({ line, before, after }) => [
    { sign: '−', look: 'removed', line, text: before },
    { sign: '+', look: 'added', line, text: after },
  ])
  return (
    <table className={styles.difference} aria-label={words.difference}>
      <tbody>
        {rows.map(
          ({ sign, look, line, text }) =>
            text !== null && (
              <tr key={`${line} ${sign}`} data-sign={look}>
                <td title={words.line(line)}>{line}</td>
                <td>{sign}</td>
                <td>{shownText(text, 400)}</td>
              </tr>
            ),
        )}
      </tbody>
    </table>
  )
}
