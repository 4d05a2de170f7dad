import type { Groups } from '../../../shared/stats.ts'
import cardStyles from '../../ui/Card.module.css'
import { Card } from '../../ui/Card.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import styles from './Stats.module.css'

const SHOWN = 6

type Props = {
  readonly title: string
  readonly groups: Groups
  readonly say?: (name: string) => string
}

/** The largest groups, each with a bar in proportion to the first. */
export function GroupList({ title, groups, say = name => shownText(name, 120) }: Props) {
  const top = groups.top.slice(0, SHOWN)
  const rest = groups.top.slice(SHOWN)
  const others = {
    names: groups.others.names + rest.length,
    count: groups.others.count + rest.reduce((sum, { count }) => sum + count, 0),
  }
  const most = top[0]?.count ?? 1
  return (
    <Card label={title}>
      <h2>{title}</h2>
      {top.length === 0 && <p className={`${cardStyles.note} faint`}>{t.stats.noGroups}</p>}
      <ol className={styles.groups}>
        {top.map(({ name, count }) => (
          <li key={name} title={say(name)}>
            <span className="clip">{say(name)}</span>
            <span className="number">{t.number(count)}</span>
            <span className={styles.groupBar} style={{ transform: `scaleX(${count / most})` }} />
          </li>
        ))}
      </ol>
      {others.names > 0 && (
        <p className={`${cardStyles.note} faint`}>{t.stats.others(others.names, others.count)}</p>
      )}
    </Card>
  )
}
