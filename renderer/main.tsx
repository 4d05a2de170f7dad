import '@fontsource-variable/inter'
import '@fontsource-variable/jetbrains-mono'
import 'uplot/dist/uPlot.min.css'
import './styles/tokens.css'
import './styles/base.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startAlertSigns } from './features/alerts/alert-signs.ts'
import { App } from './features/frame/App.tsx'
import { Stopped } from './features/frame/Stopped.tsx'
import { startConsole } from './state/console.ts'
import { startTable } from './state/table.ts'
import { t } from './words/words.ts'

document.documentElement.lang = t.locale
startConsole()
startTable()
startAlertSigns()

const root = createRoot(document.getElementById('root') as HTMLElement, {
  onUncaughtError(error) {
    reportError(error)
    root.render(<Stopped />)
  },
})
root.render(
  <StrictMode>
    <App />
  </StrictMode>,
)
