import { FOR_LABEL } from '../../../shared/alert-words.ts'
import { RULES } from '../../../shared/alerts.ts'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { t } from '../../words/words.ts'
import ruleStyles from './Rules.module.css'
import { kindOf, type Wrong } from './rule-draft.ts'

type Props = {
  readonly wrong: readonly Wrong[]
  readonly nameOf: (address: string) => string
  readonly onGo: (to: Wrong) => void
}

/** Why the rules cannot be saved, and the way to each of the reasons: it may be in a store that is not shown. */
export function WrongList({ wrong, nameOf, onGo }: Props) {
  const words = t.alerts
  return (
    <div role="alert">
      {wrong.length > 0 && (
        <Notice role="none">
          {words.notSaved(wrong.length)}
          <ul className={ruleStyles.wrongList}>
            {wrong.map(each => {
              const { address, rule, field } = each
              const where = address === null ? words.rulesForAll : nameOf(address)
              const label = field === 'forMs' ? FOR_LABEL : (RULES[rule].limit?.label ?? '')
              return (
                <li key={`${address} ${rule} ${field}`}>
                  <Button look="link" onClick={() => onGo(each)}>
                    {words.wrongAt(where, RULES[rule].title, label)}
                  </Button>{' '}
                  {words.wrongNumber[kindOf(rule, field) ?? 'ms']}
                </li>
              )
            })}
          </ul>
        </Notice>
      )}
    </div>
  )
}
