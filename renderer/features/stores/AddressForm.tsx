import { useStore } from 'zustand'
import { STORE_KINDS } from '../../../shared/locks.ts'
import { consoleStore } from '../../state/console.ts'
import fieldStyles from '../../ui/Field.module.css'
import { SelectField, Switch, TextField } from '../../ui/Field.tsx'
import { t } from '../../words/words.ts'
import { type AddressFields, withKind } from './address-fields.ts'

type Props = { readonly fields: AddressFields; readonly onChange: (fields: AddressFields) => void }

/** The fields of one provider. */
export function AddressForm({ fields, onChange }: Props) {
  const formats = useStore(consoleStore, state => state.formats)
  const words = t.stores
  const text = (name: keyof AddressFields, label: string, hint?: string) => (
    <TextField
      label={label}
      hint={hint}
      value={String(fields[name])}
      onChange={value => onChange({ ...fields, [name]: value })}
    />
  )
  const tls = (
    <Switch label={words.tls} checked={fields.tls} onChange={value => onChange({ ...fields, tls: value })} />
  )
  return (
    <div className={fieldStyles.fields}>
      <SelectField
        label={words.kind}
        value={fields.kind}
        options={STORE_KINDS.map(kind => [kind, t.storeKinds[kind]] as const)}
        onChange={kind => onChange(withKind(fields, kind))}
      />
      {fields.kind === 'redis' && (
        <>
          <SelectField
            label={words.topology}
            value={fields.mode}
            options={[
              ['standalone', words.standalone],
              ['sentinel', words.sentinel],
              ['cluster', words.cluster],
            ]}
            onChange={mode => onChange({ ...fields, mode })}
          />
          {fields.mode === 'standalone'
            ? text('hosts', words.host)
            : text('hosts', words.hosts, words.hostsHint)}
          {fields.mode === 'sentinel' && text('group', words.group)}
          {fields.mode !== 'cluster' && text('db', words.db)}
          {text('username', words.user)}
          {text('match', words.pattern, words.patternHint)}
          {tls}
        </>
      )}
      {fields.kind === 'mysql' && (
        <>
          {text('hosts', words.host)}
          {text('database', words.database)}
          {text('username', words.user)}
          {text('table', words.table, words.tableHint)}
          {tls}
        </>
      )}
      {fields.kind === 'dynamodb' && (
        <>
          {text('region', words.region)}
          {text('table', words.table)}
          {text('endpoint', words.endpoint, words.endpointHint)}
          {text('profile', words.profile)}
          {text('username', words.accessKey)}
        </>
      )}
      {fields.kind === 'memory' && text('name', words.memoryName)}
      <SelectField
        label={words.format}
        value={fields.format}
        options={[
          ['', words.anyFormat],
          ...[...formats.values()]
            .filter(each => each.store === fields.kind)
            .map(each => [each.id, each.title] as const),
        ]}
        onChange={format => onChange({ ...fields, format })}
      />
    </div>
  )
}
