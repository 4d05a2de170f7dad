import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import type { Severity } from '../../../shared/alert-rule.ts'
import { type Alert, RULES } from '../../../shared/alerts.ts'
import { alertsStore } from '../../state/alerts.ts'
import { table } from '../../state/table.ts'
import { show } from '../../state/view.ts'
import { Announcer } from '../../ui/Announcer.tsx'
import badgeStyles from '../../ui/Badge.module.css'
import { Chip } from '../../ui/Chip.tsx'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import { t } from '../../words/words.ts'
import styles from './Alerts.module.css'
import { openIn } from './alert-groups.ts'
import { announceNews } from './alert-signs.ts'

const SEVERITY_ICON: Readonly<Record<Severity, IconName>> = {
  critical: 'alert',
  warning: 'warning',
  notice: 'info',
}

/** An icon and a word: the colour alone says nothing. */
export function SeverityMark({ severity }: { readonly severity: Severity }) {
  return (
    <span className={styles.severity} data-severity={severity}>
      <Icon name={SEVERITY_ICON[severity]} /> {t.alerts.severities[severity]}
    </span>
  )
}

/** In a row of the table. The inspector has the rest. */
export function RowAlertMark({ alerts }: { readonly alerts: readonly Alert[] }) {
  const [first] = alerts
  if (!first) return null
  const title = t.alerts.rowMark(alerts.map(({ rule }) => RULES[rule].title))
  const { severity } = alerts.find(each => each.severity === 'critical') ?? first
  return (
    <span
      role="img"
      aria-label={title}
      className={styles.rowMark}
      data-severity={severity}
      data-seen={alerts.every(({ acknowledged }) => acknowledged !== null) || undefined}
      title={title}
    >
      <Icon name={severity === 'critical' ? 'bell' : SEVERITY_ICON[severity]} size={12} />
    </span>
  )
}

/** In the sidebar: unacknowledged alerts, or all open ones if none is unacknowledged. */
export function AlertCount() {
  const { open, unacknowledged } = useStore(alertsStore)
  if (open === 0) return null
  return (
    <span
      className={`number ${badgeStyles.badge}`}
      data-tone={unacknowledged > 0 ? 'danger' : undefined}
      title={t.alerts.countTitle(open, unacknowledged)}
    >
      {t.number(unacknowledged > 0 ? unacknowledged : open)}
    </span>
  )
}

/** Above the table: counts the alerts of its stores, and opens their view. */
export function AlertChip() {
  const scope = useStore(table, state => state.scope)
  const open = useStore(alertsStore, state => openIn(state, scope))
  if (open === 0) return null
  return (
    <Chip plain className={styles.chip} onClick={() => show('alerts')}>
      <Icon name="bell" size={12} /> {t.alerts.chip(open)}
    </Chip>
  )
}

/** For screen readers: new critical alerts. */
export function AlertAnnouncer() {
  const [text, setText] = useState('')
  useEffect(() => announceNews(setText), [])
  return <Announcer text={text} />
}
