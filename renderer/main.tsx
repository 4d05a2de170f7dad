import '@fontsource-variable/inter'
import '@fontsource-variable/jetbrains-mono'
import 'uplot/dist/uPlot.min.css'
import './styles/tokens.css'
import './styles/base.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startAlertSigns } from './features/alerts/alert-signs.ts'
import { App } from './features/frame/App.tsx'
import { startAlerts } from './state/alerts.ts'
import { startConsole } from './state/console.ts'
import { startHolds } from './state/holds.ts'
import { startPlans } from './state/plan.ts'
import { startSwitches } from './state/switch.ts'
import { startTable } from './state/table.ts'
import { ErrorBoundary } from './ui/ErrorBoundary.tsx'
import { t } from './words/words.ts'

document.documentElement.lang = t.locale
startConsole()
startTable()
startPlans()
startAlerts()
startHolds()
startAlertSigns()
startSwitches()

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <ErrorBoundary title={t.errors.title} text={t.errors.text} action={t.errors.reload}>
      <App />
    </ErrorBoundary>
  </StrictMode>,
)
