import { Dialog, DialogEnd } from '../../ui/Dialog.tsx'
import panelStyles from '../../ui/Panel.module.css'
import { t } from '../../words/words.ts'
import { Fact } from '../locks/Facts.tsx'
import styles from './KeysDialog.module.css'

export function KeysDialog() {
  const words = t.keys
  return (
    <Dialog title={words.title}>
      <dl className={`${panelStyles.facts} ${styles.keys}`}>
        {words.rows.map(([key, what]) => (
          <Fact key={key} name={<kbd>{key}</kbd>}>
            {what}
          </Fact>
        ))}
      </dl>
      <h3>{words.filterTitle}</h3>
      <dl className={`${panelStyles.facts} ${styles.keys}`}>
        {words.filterRows.map(([example, what]) => (
          <Fact key={example} name={<span className="mono">{example}</span>}>
            {what}
          </Fact>
        ))}
      </dl>
      <DialogEnd />
    </Dialog>
  )
}
