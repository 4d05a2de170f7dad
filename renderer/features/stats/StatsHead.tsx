import { useStore } from 'zustand'
import { preferences, STATS_WINDOWS } from '../../state/preferences.ts'
import chipStyles from '../../ui/Chip.module.css'
import { SegmentButtons } from '../../ui/Segments.tsx'
import { ViewHead } from '../../ui/View.tsx'
import { t } from '../../words/words.ts'
import { ScopeName } from '../stores/ScopeName.tsx'
import styles from './Stats.module.css'
import type { Span } from './steps.ts'

type Props = { readonly zoom: Span | null; readonly onUnzoom: () => void }

export function StatsHead({ zoom, onUnzoom }: Props) {
  const window = useStore(preferences, state => state.statsWindow)
  return (
    <ViewHead
      title={
        <>
          {t.stats.title}
          <ScopeName />
        </>
      }
    >
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
        className={styles.windows}
        value={window}
        options={STATS_WINDOWS.map(each => [each, t.stats.windows[each]] as const)}
        onChange={each => {
          preferences.setState({ statsWindow: each })
          onUnzoom()
        }}
      />
    </ViewHead>
  )
}
