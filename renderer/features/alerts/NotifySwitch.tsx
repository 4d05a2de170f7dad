import { useState } from 'react'
import { Switch } from '../../ui/Field.tsx'
import { t } from '../../words/words.ts'
import { asksBrowser } from './alert-signs.ts'

type Props = { readonly on: boolean; readonly onChange: (on: boolean) => void }

/** Whether the desktop is told. A browser is asked when it is switched on, and never before. */
export function NotifySwitch({ on, onChange }: Props) {
  const browser = asksBrowser()
  const [permission, setPermission] = useState(() => (browser ? Notification.permission : 'granted'))
  const words = t.alerts
  const allow = () => void Notification.requestPermission().then(setPermission)
  return (
    <div className="notify">
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
      {on && permission === 'default' && (
        <button type="button" className="button" onClick={allow}>
          {words.notifyAllow}
        </button>
      )}
    </div>
  )
}
