import type { Check, SwitchRun, SwitchStep } from '../../../shared/switch.ts'
import { checkSentence } from '../../../shared/switch-words.ts'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import { sentence } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { useSwitchNow } from './step-props.ts'

const ICONS: Readonly<Record<Check['is'], IconName>> = {
  met: 'check',
  'not-yet': 'ring',
  unknown: 'question',
}

type Props = { readonly run: SwitchRun; readonly step: SwitchStep }

export function CheckLine({ run, step }: Props) {
  const check = useSwitchNow(now => now.checks[step])
  const said = useSwitchNow(now => sentence(checkSentence(step, run, now)))
  if (!check || said === null) return <p className="check-line" />
  const { is, since } = check
  return (
    <p className="check-line" data-check={is}>
      {/* Anew with every change, so that the change is seen. */}
      <span key={is} className="check-icon">
        <Icon name={ICONS[is]} size={15} />
      </span>
      <span>
        {said} {is === 'met' && <span className="check-since number">{t.switch.checkSince(since)}</span>}
      </span>
    </p>
  )
}
