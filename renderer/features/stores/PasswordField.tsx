import { useStore } from 'zustand'
import { consoleStore } from '../../state/console.ts'
import fieldStyles from '../../ui/Field.module.css'
import { Switch, TextField } from '../../ui/Field.tsx'
import { t } from '../../words/words.ts'

type Props = {
  readonly label: string
  readonly value: string
  readonly known: boolean
  /** A password is known, but for another server or account. */
  readonly elsewhere: boolean
  readonly forget: boolean
  readonly mayForget: boolean
  readonly onChange: (value: string) => void
  readonly onForget: (forget: boolean) => void
}

/** Says how long the password is kept, before it is typed. */
export function PasswordField({
  label,
  value,
  known,
  elsewhere,
  forget,
  mayForget,
  onChange,
  onForget,
}: Props) {
  const secrets = useStore(consoleStore, state => state.info?.secrets)
  const words = t.stores
  const lasting = secrets?.durable ? words.passwordDurable : words.passwordSession(secrets?.reason ?? '')
  const hint = elsewhere ? words.passwordElsewhere : known && !forget ? words.passwordKept(lasting) : lasting
  return (
    <div className={fieldStyles.fields}>
      <TextField label={label} type="password" hint={hint} value={value} onChange={onChange} wide />
      {known && mayForget && <Switch label={words.forget} checked={forget} onChange={onForget} />}
    </div>
  )
}
