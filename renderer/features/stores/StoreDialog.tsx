import { useState } from 'react'
import { useStore } from 'zustand'
import { parseAddress, passwordFits, shortName } from '../../../shared/address.ts'
import { kindOf } from '../../../shared/kinds.ts'
import type { Result } from '../../../shared/result.ts'
import { CAPABILITIES, STORE_COLOURS, type StoreProfile, type StoreTest } from '../../../shared/stores.ts'
import { ask, consoleStore } from '../../state/console.ts'
import { setScope, table } from '../../state/table.ts'
import { closeDialog, openDialog, type StoreDialogMode } from '../../state/view.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogForm, useRequest } from '../../ui/Dialog.tsx'
import fieldStyles from '../../ui/Field.module.css'
import { SelectField, Switch, TextField } from '../../ui/Field.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { sentence, shownText, t } from '../../words/words.ts'
import { AddressForm } from './AddressForm.tsx'
import { type AddressFields, newFields, spell, understand } from './address-fields.ts'
import { RulesNotice } from './RulesNotice.tsx'
import styles from './StoreDialog.module.css'
import reportStyles from './TestReport.module.css'

type Draft = StoreProfile & {
  readonly fields: AddressFields
  readonly password: string
  readonly forget: boolean
}

export function StoreDialog(props: StoreDialogMode) {
  const { entries, suggestions, info } = useStore(consoleStore)
  const isAdd = props.mode === 'add'
  const isEdit = props.mode === 'edit'
  const entry = isAdd ? undefined : entries.find(each => each.storeId === props.storeId)
  const suggestion = isAdd ? suggestions.find(each => each.suggestionId === props.suggestionId) : undefined
  const opened = entry ?? suggestion
  const [draft, setDraft] = useState<Draft>(() => {
    const address = opened?.address ?? spell(newFields())
    const parsed = understand(address)
    return {
      name: props.mode === 'duplicate' ? '' : (opened?.name ?? ''),
      address,
      fields: parsed.ok ? parsed.fields : newFields(),
      password: '',
      forget: false,
      colour: entry?.colour ?? 'teal',
      production: entry?.own.production ?? false,
      readOnly: entry?.own.readOnly ?? false,
    }
  })
  const [testing, setTesting] = useState(false)
  const [tested, setTested] = useState<Result<StoreTest> | null>(null)
  const words = t.stores
  const parsed = understand(draft.address)

  // The password in core belongs to the store or suggestion that the dialog was opened for.
  const passwordOf = draft.forget ? undefined : (entry?.storeId ?? suggestion?.suggestionId)
  const hasPassword = suggestion?.hasPassword || (entry !== undefined && entry.password !== 'none')
  const isKnown = hasPassword && sharesPassword(opened?.address ?? '', draft.address)
  const typed = draft.password || undefined
  const profile = () => {
    const { fields, password, forget, ...decided } = draft
    const address = draft.address.trim()
    return { ...decided, address, name: draft.name.trim() || shortName(parseAddress(address)).slice(0, 60) }
  }
  const save = useRequest(
    () =>
      props.mode === 'edit'
        ? ask('stores.edit', {
            storeId: props.storeId,
            profile: profile(),
            password: draft.forget ? null : typed,
          })
        : ask('stores.add', { profile: profile(), password: typed, passwordOf }),
    closeDialog,
  )
  async function test() {
    setTesting(true)
    setTested(await ask('stores.test', { profile: profile(), password: typed, passwordOf }))
    setTesting(false)
  }

  const change = (changes: Partial<Draft>) => {
    const moved = changes.address !== undefined && !sharesPassword(draft.address, changes.address)
    // A password typed for one server is never sent to another.
    setDraft({ ...draft, password: moved ? '' : draft.password, ...changes })
    setTested(null)
    save.clear()
  }
  const paste = (address: string) => {
    const read = understand(address)
    if (!read.ok) return change({ address })
    const { fields, password } = read
    // The password leaves the visible field at once.
    change(password === null ? { address, fields } : { address: read.address, fields, password })
  }

  const { fields } = draft
  const passwordLabel = kindOf(fields.kind).form.password
  const lasting = info?.secrets.durable
    ? words.passwordDurable
    : words.passwordSession(info?.secrets.reason ?? '')
  const passwordHint = isKnown && !draft.forget ? words.passwordKept(lasting) : lasting
  const offered = isAdd && !suggestion ? suggestions : []
  const disabled = !parsed.ok || testing || save.working
  return (
    <Dialog title={words.titles[props.mode]} size="wide">
      <DialogForm
        submit={save.working ? words.saving : words.submit[props.mode]}
        disabled={disabled}
        error={save.error}
        onSubmit={save.run}
        buttons={
          <Button start disabled={disabled} onClick={() => void test()}>
            {testing ? words.testing : words.test}
          </Button>
        }
      >
        {offered.length > 0 && (
          <p className={styles.offers}>
            {words.fromEnvironment}:{' '}
            {offered.map(({ suggestionId, name }) => (
              <Button
                key={suggestionId}
                look="link"
                onClick={() => openDialog({ kind: 'store', mode: 'add', suggestionId })}
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
        <AddressForm fields={fields} onChange={next => change({ fields: next, address: spell(next) })} />
        {passwordLabel !== null && (
          <div className={fieldStyles.fields}>
            <TextField
              label={passwordLabel}
              type="password"
              hint={hasPassword && !isKnown ? words.passwordElsewhere : passwordHint}
              value={draft.password}
              onChange={password => change({ password, forget: false })}
              wide
            />
            {isKnown && isEdit && (
              <Switch
                label={words.forget}
                checked={draft.forget}
                onChange={forget => change({ forget, password: forget ? '' : draft.password })}
              />
            )}
          </div>
        )}
        <div className={`${fieldStyles.fields} ${styles.own}`}>
          <TextField
            label={words.name}
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
        {isEdit && <RulesNotice store={entry} />}
        {tested && <TestReport result={tested} />}
      </DialogForm>
    </Dialog>
  )
}

/** Whether a password for one address may be used for the other. An unfinished address only matches itself. */
function sharesPassword(from: string, to: string): boolean {
  const [known, wanted] = [understand(from), understand(to)]
  if (!known.ok || !wanted.ok) return from === to
  return passwordFits(parseAddress(known.address), parseAddress(wanted.address))
}

export function RemoveStoreDialog({ storeId }: { readonly storeId: string }) {
  const words = t.stores
  const store = useStore(consoleStore, state => state.entries.find(each => each.storeId === storeId))
  const { working, error, run } = useRequest(
    () => ask('stores.remove', { storeId }),
    () => {
      if (table.getState().scope === storeId) setScope(null)
      closeDialog()
    },
  )
  return (
    <Dialog title={words.removeTitle}>
      <DialogForm look="danger" submit={words.remove} disabled={working} error={error} onSubmit={run}>
        <p>{words.removeText(store?.name ?? '')}</p>
      </DialogForm>
    </Dialog>
  )
}

function TestReport({ result }: { readonly result: Result<StoreTest> }) {
  const formats = useStore(consoleStore, state => state.formats)
  const words = t.stores
  if (!result.ok)
    return (
      <div className={reportStyles.report} data-outcome="failed" role="status">
        <p>
          <Icon name="alert" /> {words.testFailed} {sentence(result.error.message)}
        </p>
      </div>
    )
  const { server, latencyMs, clock, capabilities, scanned, unrecognised, complete, problems, rulesFrom } =
    result.value
  const found = result.value.formats.map(({ format, count }) =>
    words.testFormat(formats.get(format)?.title ?? format, count),
  )
  const may = CAPABILITIES.filter(each => capabilities.includes(each))
  const mayNot = CAPABILITIES.filter(each => !capabilities.includes(each))
  const named = (all: typeof may) => all.map(each => words.capabilities[each])
  return (
    <div className={reportStyles.report} data-outcome="passed" role="status">
      <p>
        <Icon name="check" /> {words.testServer(shownText(server, 80), latencyMs)}{' '}
        {clock.offsetMs === null ? words.testNoClock : words.testClock(clock.offsetMs, clock.errorMs)}
      </p>
      <p>
        {found.length === 0 ? words.testNone(scanned) : words.testFormats(found, complete)}{' '}
        {unrecognised > 0 && words.testUnrecognised(unrecognised)}
      </p>
      <p>
        {may.length > 0 && words.testMay(named(may))} {mayNot.length > 0 && words.testMayNot(named(mayNot))}
      </p>
      {rulesFrom.length > 0 && (
        <p>
          <Icon name="alert" /> {words.testRules(rulesFrom.map(name => shownText(name, 60)))}
        </p>
      )}
      {problems.map(({ where, message }) => (
        <p key={where}>
          <Icon name="alert" /> {shownText(where, 80)}: {sentence(message)}
        </p>
      ))}
    </div>
  )
}
