import { useState } from 'react'
import { useStore } from 'zustand'
import { consoleStore } from '../../state/console.ts'
import { Button } from '../../ui/Button.tsx'
import { Switch } from '../../ui/Field.tsx'
import { t } from '../../words/words.ts'
import { asksBrowser } from './alert-signs.ts'
import ruleStyles from './Rules.module.css'

type Props = { readonly on: boolean; readonly onChange: (on: boolean) => void }

/** Whether the desktop is told. A browser is asked when it is switched on, and never before. */
export function NotifySwitch({ on, onChange }: Props) {
  const browser = useStore(consoleStore, asksBrowser)
  const [answer, setAnswer] = useState<NotificationPermission | null>(null)
  const permission = answer ?? (browser ? Notification.permission : 'granted')
  const words = t.alerts
  const allow = () => void Notification.requestPermission().then(setAnswer)
  return (
    <div className={ruleStyles.notify}>
      <Switch
        label={words.notify}
        hint={
          !browser ? words.notifyWindow : permission === 'denied' ? words.notifyDenied : words.notifyBrowser
        }
        checked={on}
        onChange={to => {
          onChange(to)
          if (to && permission === 'default') allow()
        }}
      />
      {on && permission === 'default' && <Button onClick={allow}>{words.notifyAllow}</Button>}
    </div>
  )
}
