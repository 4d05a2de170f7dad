import { useStore } from 'zustand'
import { preferences, STATS_WINDOWS } from '../../state/preferences.ts'
import { t } from '../../words/words.ts'
import { ScopeName } from '../stores/ScopeName.tsx'
import type { Span } from './steps.ts'

type Props = { readonly zoom: Span | null; readonly onUnzoom: () => void }

export function StatsHead({ zoom, onUnzoom }: Props) {
  const window = useStore(preferences, state => state.statsWindow)
  return (
    <header className="view-head">
      <h1 className="toolbar-title">
        {t.stats.title}
        <ScopeName />
      </h1>
      {zoom && (
        <button type="button" className="chip zoomed" title={t.stats.unzoom} onClick={onUnzoom}>
          {t.stats.zoomed(zoom.from, zoom.to)} <span aria-hidden="true">×</span>
          <span className="visually-hidden">{t.stats.unzoom}</span>
        </button>
      )}
      <span className="segmented windows" role="group" aria-label={t.stats.window}>
        {STATS_WINDOWS.map(each => (
          <button
            key={each}
            type="button"
            aria-pressed={each === window}
            onClick={() => {
              preferences.setState({ statsWindow: each })
              onUnzoom()
            }}
          >
            {t.stats.windows[each]}
          </button>
        ))}
      </span>
    </header>
  )
}
