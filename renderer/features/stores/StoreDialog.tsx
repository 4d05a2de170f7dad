import { useState } from 'react'
import { useStore } from 'zustand'
import { parseAddress, passwordFits, shortName } from '../../../shared/address.ts'
import { kindOf } from '../../../shared/kinds.ts'
import type { Result } from '../../../shared/result.ts'
import { STORE_COLOURS, type StoreColour, type StoreTest } from '../../../shared/stores.ts'
import { ask, consoleStore } from '../../state/console.ts'
import { closeDialog, openDialog, type StoreDialogMode } from '../../state/overlay.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx'
import fieldStyles from '../../ui/Field.module.css'
import { SelectField, Switch, TextField } from '../../ui/Field.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { t } from '../../words/words.ts'
import { AddressForm } from './AddressForm.tsx'
import { type AddressFields, newFields, spell, understand } from './address-fields.ts'
import { PasswordField } from './PasswordField.tsx'
import styles from './StoreDialog.module.css'
import { TestReport } from './TestReport.tsx'

type Draft = {
  readonly name: string
  readonly address: string
  readonly fields: AddressFields
  readonly password: string
  readonly forget: boolean
  readonly colour: StoreColour
  readonly production: boolean
  readonly readOnly: boolean
}

export function StoreDialog(props: StoreDialogMode) {
  const { entries, suggestions } = useStore(consoleStore)
  const entry = props.mode === 'add' ? undefined : entries.find(each => each.storeId === props.storeId)
  const suggestion =
    props.mode === 'add' ? suggestions.find(each => each.suggestionId === props.suggestionId) : undefined
  const [draft, setDraft] = useState<Draft>(() => {
    const address = entry?.address ?? suggestion?.address ?? spell(newFields())
    const parsed = understand(address)
    return {
      name: props.mode === 'edit' ? (entry?.name ?? '') : (suggestion?.name ?? ''),
      address,
      fields: parsed.ok ? parsed.fields : newFields(),
      password: '',
      forget: false,
      colour: entry?.colour ?? 'teal',
      production: entry?.production ?? false,
      readOnly: entry?.readOnly ?? false,
    }
  })
  const [busy, setBusy] = useState<'test' | 'save' | null>(null)
  const [tested, setTested] = useState<Result<StoreTest> | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const words = t.stores
  const parsed = understand(draft.address)
  const change = (changes: Partial<Draft>) => {
    const moved = changes.address !== undefined && !sharesPassword(draft.address, changes.address)
    // A password typed for one server is never sent to another.
    setDraft({ ...draft, ...(moved ? { password: '' } : {}), ...changes })
    setTested(null)
    setProblem(null)
  }

  const paste = (address: string) => {
    const read = understand(address)
    if (!read.ok) change({ address })
    // The password leaves the visible field at once.
    else if (read.password !== null)
      change({ address: read.address, fields: read.fields, password: read.password })
    else change({ address, fields: read.fields })
  }

  // The password in core belongs to the store or suggestion that the dialog was opened for.
  const passwordOf = draft.forget ? undefined : (entry?.storeId ?? suggestion?.suggestionId)
  const knows = (entry !== undefined && entry.password !== 'none') || suggestion?.hasPassword === true
  const known = knows && sharesPassword(entry?.address ?? suggestion?.address ?? '', draft.address)
  const profile = () => ({
    name: draft.name.trim() || nameFrom(draft.address),
    address: draft.address.trim(),
    colour: draft.colour,
    production: draft.production,
    readOnly: draft.readOnly,
  })
  const typedPassword = draft.password === '' ? {} : { password: draft.password }
  const changedPassword = draft.forget ? { password: null } : typedPassword
  const secret = {
    ...typedPassword,
    ...(passwordOf === undefined ? {} : { passwordOf }),
  }

  async function test() {
    setBusy('test')
    setTested(await ask('stores.test', { profile: profile(), ...secret }))
    setBusy(null)
  }

  async function save() {
    setBusy('save')
    const result =
      props.mode === 'edit'
        ? await ask('stores.edit', { storeId: props.storeId, profile: profile(), ...changedPassword })
        : await ask('stores.add', { profile: profile(), ...secret })
    setBusy(null)
    if (result.ok) closeDialog()
    else setProblem(result.error.message)
  }

  const passwordLabel = kindOf(draft.fields.kind).form.password
  const title = { add: words.addTitle, edit: words.editTitle, duplicate: words.duplicateTitle }[props.mode]
  const offered = props.mode === 'add' && !suggestion ? suggestions : []
  return (
    <Dialog title={title} onClose={closeDialog} size="wide">
      <form
        onSubmit={event => {
          event.preventDefault()
          if (parsed.ok && busy === null) void save()
        }}
      >
        {offered.length > 0 && (
          <p className={styles.offers}>
            {words.fromEnvironment}:{' '}
            {offered.map(({ suggestionId, name }) => (
              <Button
                key={suggestionId}
                look="link"
                onClick={() => {
                  closeDialog()
                  // A new dialog, without this one's draft.
                  setTimeout(() => openDialog({ kind: 'store', mode: 'add', suggestionId }))
                }}
              >
                {name}
              </Button>
            ))}
          </p>
        )}
        <TextField
          label={words.address}
          hint={parsed.ok ? words.addressHint : parsed.message}
          value={draft.address}
          onChange={paste}
          mono
          wide
          autoFocus
        />
        <AddressForm fields={draft.fields} onChange={fields => change({ fields, address: spell(fields) })} />
        {passwordLabel !== null && (
          <PasswordField
            label={passwordLabel}
            value={draft.password}
            known={known}
            elsewhere={knows && !known}
            forget={draft.forget}
            mayForget={props.mode === 'edit'}
            onChange={password => change({ password, forget: false })}
            onForget={forget => change(forget ? { forget, password: '' } : { forget })}
          />
        )}
        <div className={`${fieldStyles.fields} ${styles.own}`}>
          <TextField
            label={words.name}
            hint={undefined}
            value={draft.name}
            onChange={name => change({ name })}
            maxLength={60}
          />
          <SelectField
            label={words.colour}
            value={draft.colour}
            options={STORE_COLOURS.map(colour => [colour, words.colours[colour]] as const)}
            onChange={colour => change({ colour })}
          />
          <Switch
            label={words.production}
            hint={words.productionHint}
            checked={draft.production}
            onChange={production => change({ production })}
          />
          <Switch
            label={words.readOnly}
            hint={words.readOnlyHint}
            checked={draft.readOnly}
            onChange={readOnly => change({ readOnly })}
          />
        </div>
        {tested && <TestReport result={tested} />}
        <ErrorNotice error={problem} />
        <DialogButtons>
          <Button start disabled={!parsed.ok || busy !== null} onClick={() => void test()}>
            {busy === 'test' ? words.testing : words.test}
          </Button>
          <Button onClick={closeDialog}>{words.cancel}</Button>
          <Button type="submit" look="primary" disabled={!parsed.ok || busy !== null}>
            {busy === 'save' ? words.saving : props.mode === 'edit' ? words.save : words.add}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}

/** Whether a password for one address may be used for the other. An unfinished address only matches itself. */
function sharesPassword(from: string, to: string): boolean {
  const [known, wanted] = [understand(from), understand(to)]
  if (!known.ok || !wanted.ok) return from === to
  return passwordFits(parseAddress(known.address), parseAddress(wanted.address))
}

function nameFrom(address: string): string {
  return shortName(parseAddress(address.trim())).slice(0, 60)
}
