import { closeDialog } from '../../state/overlay.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx'
import panelStyles from '../../ui/Panel.module.css'
import { t } from '../../words/words.ts'
import styles from './KeysDialog.module.css'

export function KeysDialog() {
  return (
    <Dialog title={t.keys.title} onClose={closeDialog}>
      <dl className={`${panelStyles.facts} ${styles.keys}`}>
        {t.keys.rows.map(([key, what]) => [
          <dt key={key}>
            <kbd>{key}</kbd>
          </dt>,
          <dd key={what}>{what}</dd>,
        ])}
      </dl>
      <h3>{t.keys.filterTitle}</h3>
      <dl className={`${panelStyles.facts} ${styles.keys}`}>
        {t.keys.filterRows.map(([example, what]) => [
          <dt key={example} className="mono">
            {example}
          </dt>,
          <dd key={what}>{what}</dd>,
        ])}
      </dl>
      <DialogButtons>
        <Button look="primary" onClick={closeDialog}>
          {t.keys.close}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
