import type { Severity } from '../../../shared/alert-rules/rule.ts'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import { t } from '../../words/words.ts'
import styles from './Alerts.module.css'

export const SEVERITY_ICON: Readonly<Record<Severity, IconName>> = {
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
