import { useStore } from 'zustand'
import { preferences, STATS_WINDOWS } from '../../state/preferences.ts'
import chipStyles from '../../ui/Chip.module.css'
import { SegmentButtons } from '../../ui/Segments.tsx'
import titleStyles from '../../ui/Title.module.css'
import { t } from '../../words/words.ts'
import { ScopeName } from '../stores/ScopeName.tsx'
import type { Span } from './steps.ts'

type Props = { readonly zoom: Span | null; readonly onUnzoom: () => void }

export function StatsHead({ zoom, onUnzoom }: Props) {
  const window = useStore(preferences, state => state.statsWindow)
  return (
    <header className="view-head">
      <h1 className={titleStyles.title}>
        {t.stats.title}
        <ScopeName />
      </h1>
      {zoom && (
        <button
          type="button"
          className={chipStyles.chip}
          data-tone="accent"
          title={t.stats.unzoom}
          onClick={onUnzoom}
        >
          {t.stats.zoomed(zoom.from, zoom.to)} <span aria-hidden="true">×</span>
          <span className="visually-hidden">{t.stats.unzoom}</span>
        </button>
      )}
      <SegmentButtons
        label={t.stats.window}
        className="windows"
        value={window}
        options={STATS_WINDOWS.map(each => [each, t.stats.windows[each]] as const)}
        onChange={each => {
          preferences.setState({ statsWindow: each })
          onUnzoom()
        }}
      />
    </header>
  )
}
