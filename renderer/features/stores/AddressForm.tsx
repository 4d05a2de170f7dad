import { useStore } from 'zustand'
import { allKinds, type FormInput, kindOf } from '../../../shared/kinds.ts'
import { consoleStore } from '../../state/console.ts'
import fieldStyles from '../../ui/Field.module.css'
import { SelectField, Switch, TextField } from '../../ui/Field.tsx'
import { t } from '../../words/words.ts'
import { type AddressFields, withKind } from './address-fields.ts'

type Props = { readonly fields: AddressFields; readonly onChange: (fields: AddressFields) => void }

export function AddressForm({ fields, onChange }: Props) {
  const formats = useStore(consoleStore, state => state.formats)
  const words = t.stores
  const { kind, texts } = fields
  const textOf = (field: string) => texts[field] ?? ''
  const change = (field: string, text: string) => onChange({ kind, texts: { ...texts, [field]: text } })
  const isShown = ({ when }: FormInput) => when === undefined || when.is.includes(textOf(when.field))
  return (
    <div className={fieldStyles.fields}>
      <SelectField
        label={words.kind}
        value={kind}
        options={allKinds().map(({ id, label }) => [id, label] as const)}
        onChange={id => onChange(withKind(fields, id))}
      />
      {kindOf(kind)
        .form.inputs.filter(isShown)
        .map(input => (
          <AddressInput
            key={input.field}
            input={input}
            value={textOf(input.field)}
            onChange={text => change(input.field, text)}
          />
        ))}
      <SelectField
        label={words.format}
        value={textOf('format')}
        options={[
          ['', words.anyFormat],
          ...[...formats.values()]
            .filter(each => each.store === kind)
            .map(each => [each.id, each.title] as const),
        ]}
        onChange={format => change('format', format)}
      />
    </div>
  )
}

type InputProps = {
  readonly input: FormInput
  readonly value: string
  readonly onChange: (text: string) => void
}

function AddressInput({ input: { label, hint, choices }, value, onChange }: InputProps) {
  if (choices === undefined) return <TextField label={label} hint={hint} value={value} onChange={onChange} />
  if (choices === 'on or off')
    return <Switch label={label} checked={value === 'true'} onChange={isOn => onChange(isOn ? 'true' : '')} />
  return <SelectField label={label} value={value} options={choices} onChange={onChange} />
}
