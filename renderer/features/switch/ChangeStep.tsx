import { useEffect, useState } from 'react'
import type { Failure } from '../../../shared/result.ts'
import type { EnvPreview } from '../../../shared/switch.ts'
import { CONNECTION_VARIABLES, providerLine } from '../../../shared/switch-words.ts'
import { ask } from '../../state/console.ts'
import { act } from '../../state/switch.ts'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { TextField } from '../../ui/Field.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { t } from '../../words/words.ts'
import { EnvDifference } from './EnvDifference.tsx'
import { EnvNow } from './EnvNow.tsx'
import type { StepProps } from './step-props.ts'

/** Shows exactly what would change in a file, and changes that and nothing else. */
export function ChangeStep({ run }: StepProps) {
  const { switchId, envFile } = run
  const [file, setFile] = useState(envFile ?? '')
  /** With what was typed for it: core knows the file by its full path. */
  const [shown, setShown] = useState<{ typed: string | null; preview: EnvPreview | null } | null>(null)
  const [working, setWorking] = useState<'looking' | 'changing' | null>(null)
  const [error, setError] = useState<{ of: 'looking' | 'changing'; failure: Failure } | null>(null)
  const words = t.switch.change
  // An empty field takes it away from the file that it is pointed at.
  const mayLook = file.trim() !== '' || envFile !== null
  const preview = shown?.typed === (file.trim() || null) ? shown.preview : null
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
    // What was shown is no longer what would happen, whether it was done or not.
    setShown(null)
    if (!answer.ok) setError({ of: 'changing', failure: answer.error })
  }

  const changed = run.envChanges.length
  // What was pointed at before is shown again after a restart, unless it is changed already.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the step is opened
  useEffect(() => {
    if (isDue && envFile !== null && changed === 0) void look(envFile)
  }, [])

  const line = providerLine(run)
  // Of one kind: only where the store is changes, and what that is called is known to the programs alone.
  if (line === null) return <WhereElse run={run} />
  return (
    <>
      <section className="card env" aria-label={words.file}>
        <form
          className="env-form"
          onSubmit={event => {
            event.preventDefault()
            if (mayLook) void look(file.trim() || null)
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
            {file.trim() === '' && mayLook ? words.lookAway : preview || error ? words.lookAgain : words.look}
          </Button>
        </form>
        <EnvNow run={run} />
        {error && <ErrorNotice what={sayFailed(error.of, error.failure)} error={error.failure} />}
        {preview && (
          <EnvDifference
            preview={preview}
            isDue={isDue}
            working={working === 'changing'}
            onChange={() => void change(preview)}
          />
        )}
      </section>
      <section className="card env-hand" aria-label={words.wantedLine}>
        <p className="muted">{words.byHand}</p>
        <p className="env-line">
          <code>{line}</code>
          <CopyButton text={line} label={words.copyLine} done={words.copied} />
        </p>
      </section>
    </>
  )
}

function WhereElse({ run }: StepProps) {
  return (
    <section className="card" aria-label={t.switch.change.variables}>
      <header className="card-head">
        <h2>{t.switch.change.variables}</h2>
      </header>
      <ul className="env-variables">
        {CONNECTION_VARIABLES[run.to.kind].map(name => (
          <li key={name}>
            <code>{name}</code>
          </li>
        ))}
      </ul>
    </section>
  )
}

function sayFailed(of: 'looking' | 'changing', { uncertain }: Failure): string {
  const words = t.switch.change
  if (of === 'looking') return words.noPreview
  return uncertain ? words.uncertain : words.refused
}
