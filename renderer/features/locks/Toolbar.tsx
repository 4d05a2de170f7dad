import type { KeyboardEvent } from 'react'
import { useStore } from 'zustand'
import { COLUMNS } from '../../state/columns.ts'
import { book, consoleStore } from '../../state/console.ts'
import { preferences, toggleColumn } from '../../state/preferences.ts'
import { setFilter, setPointing, table } from '../../state/table.ts'
import { focusView, openDialog } from '../../state/view.ts'
import { Button, CopyButton } from '../../ui/Button.tsx'
import chipStyles from '../../ui/Chip.module.css'
import { Chip } from '../../ui/Chip.tsx'
import { TextInput } from '../../ui/Field.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Menu } from '../../ui/Menu.tsx'
import titleStyles from '../../ui/Title.module.css'
import { shownText, t } from '../../words/words.ts'
import { AlertChip } from '../alerts/AlertMarks.tsx'
import { releaseAll } from '../plans/release-all.ts'
import { FACES, filterOf } from './lock-face.ts'
import styles from './Toolbar.module.css'

export function Toolbar() {
  const { filterText, filter, total, matching, waiting, scope, selected } = useStore(table)
  const entries = useStore(consoleStore, state => state.entries)
  const hidden = useStore(preferences, each => each.hiddenColumns)
  const scopeName = entries.find(each => each.storeId === scope)?.name
  const filtered = filterText.trim() !== ''
  return (
    <header className={styles.toolbar}>
      <h1 className={titleStyles.title}>
        <span className="clip">{scopeName ?? t.sidebar.allLocks}</span>
        <span className={titleStyles.count}>
          {filtered ? t.table.countSome(matching, total) : t.table.countAll(total)}
        </span>
      </h1>
      <FilterBox />
      <Button
        className={styles.releaseAll}
        disabled={selected.size === 0 && matching === 0}
        title={selected.size === 0 ? t.plans.releaseAllTitle(matching) : undefined}
        onClick={releaseAll}
      >
        {selected.size === 0 ? t.plans.releaseAll : t.plans.releaseSelected(selected.size)}
      </Button>
      <Menu
        label={t.table.columnsButton}
        sticky
        items={COLUMNS.filter(column => !column.fixed).map(({ id }) => ({
          label: t.table.columns[id],
          checked: !hidden.includes(id),
          run: () => toggleColumn(id),
        }))}
      >
        <Icon name="columns" />
      </Menu>
      <Chips />
      {filter.problems.length > 0 && (
        <p id="filter-problems" className={styles.problems} role="status">
          {filter.problems.map(({ text }) => t.table.filterProblem(shownText(text, 60))).join(' ')}
        </p>
      )}
      {waiting > 0 && (
        <button type="button" className={styles.waiting} onClick={() => setPointing(false)}>
          {t.table.waiting(waiting)}
        </button>
      )}
    </header>
  )
}

function FilterBox() {
  const { filterText, filter } = useStore(table)
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event
    const isDone = key === 'ArrowDown' || key === 'Enter'
    if (key === 'Escape') event.stopPropagation()
    if (isDone) event.preventDefault()
    if (key === 'Escape' && filterText !== '') setFilter('')
    else if (isDone || key === 'Escape') focusView()
  }
  return (
    <div className={styles.filter}>
      <TextInput
        id="filter"
        mono
        aria-label={t.table.filter}
        placeholder={t.table.filterExample}
        aria-describedby={filter.problems.length > 0 ? 'filter-problems' : undefined}
        value={filterText}
        onChange={setFilter}
        onKeyDown={onKeyDown}
      />
      {filterText.trim() === '' ? (
        <kbd className={styles.filterEnd}>/</kbd>
      ) : (
        <button
          type="button"
          className={styles.filterEnd}
          aria-label={t.table.clearFilter}
          onClick={() => setFilter('')}
        >
          <Icon name="cross" size={12} />
        </button>
      )}
    </div>
  )
}

function Chips() {
  const { attention, selected, total, scope } = useStore(table)
  const unrecognised = useStore(consoleStore, state =>
    Object.entries(state.statuses)
      .filter(([storeId]) => scope === null || storeId === scope)
      .reduce((sum, [, status]) => sum + status.unrecognised.count, 0),
  )
  const words = t.table.chips
  const shown = (['expired', 'endless', 'expiring'] as const).filter(state => attention[state] > 0)
  return (
    <div className={chipStyles.chips}>
      <AlertChip />
      {shown.map(state => (
        <Chip key={state} tone={FACES[state].tone} onClick={() => setFilter(filterOf(state))}>
          <Icon name={FACES[state].icon} size={12} /> {words[state](attention[state])}
        </Chip>
      ))}
      {shown.length === 0 && total > 0 && (
        <span className={`${chipStyles.chip} ${chipStyles.plain}`}>
          <Icon name="check" size={12} /> {words.calm}
        </span>
      )}
      {unrecognised > 0 && (
        <Chip plain onClick={() => openDialog({ kind: 'unrecognised' })}>
          <Icon name="question" size={12} /> {words.unrecognised(unrecognised)}
        </Chip>
      )}
      {selected.size > 0 && (
        <span className={styles.selection}>
          {t.status.selected(selected.size)}
          <CopyButton
            text={[...selected].flatMap(id => book.rows.get(id)?.lock.key ?? []).join('\n')}
            label={t.table.copyKeys}
          />
          <Button onClick={() => table.setState({ selected: new Set() })}>{t.table.clearSelection}</Button>
        </span>
      )}
    </div>
  )
}
