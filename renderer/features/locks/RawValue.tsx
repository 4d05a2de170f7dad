import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef, useState } from 'react'
import type { RawPart } from '../../../shared/locks.ts'
import { SegmentButtons } from '../../ui/Field.tsx'
import { shownText, t } from '../../words/words.ts'
import styles from './RawValue.module.css'

const LINE_HEIGHT = 16
const TEXT_LINE = 40
const HEX_BYTES = 8

/** One part of a record. Only the lines in view are in the page, so huge values scroll too. */
export function RawValue({ part }: { readonly part: RawPart }) {
  const [hex, setHex] = useState(part.encoding === 'hex')
  const bytes = useMemo(
    () => (part.encoding === 'hex' ? fromHex(part.text) : new TextEncoder().encode(part.text)),
    [part],
  )
  const lines = useMemo(() => (hex ? hexLines(bytes) : textLines(part.text)), [hex, bytes, part.text])
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 10,
  })
  const label = shownText(part.label, 80)
  return (
    <section className={styles.part} aria-label={`${t.inspector.raw}: ${label}`}>
      <div className={styles.head}>
        <span className="clip">
          <span className="mono">{label}</span>{' '}
          <span className="muted">{t.inspector.rawSize(part.size)}</span>
        </span>
        {part.encoding === 'text' ? (
          <SegmentButtons
            label={t.inspector.rawForm(label)}
            value={hex ? 'hex' : 'text'}
            options={[
              ['text', t.inspector.rawText],
              ['hex', t.inspector.rawHex],
            ]}
            onChange={form => setHex(form === 'hex')}
          />
        ) : (
          <span className="muted">{t.inspector.rawHex}</span>
        )}
      </div>
      {lines.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keys
        <div ref={scroller} className={`mono ${styles.body}`} tabIndex={0} role="group" aria-label={label}>
          <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
            {virtual.getVirtualItems().map(item => (
              <div
                key={item.key}
                className={styles.line}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                {lines[item.index]}
              </div>
            ))}
          </div>
        </div>
      )}
      {bytes.length < part.size && (
        <p className={`muted ${styles.cut}`}>
          {t.inspector.rawCut(t.inspector.rawSize(bytes.length), t.inspector.rawSize(part.size))}
        </p>
      )}
    </section>
  )
}

function textLines(text: string): string[] {
  const lines: string[] = []
  const characters = [...text]
  for (let at = 0; at < characters.length; at += TEXT_LINE)
    lines.push(shownText(characters.slice(at, at + TEXT_LINE).join('')))
  return lines
}

function hexLines(bytes: Uint8Array): string[] {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += HEX_BYTES) {
    const some = [...bytes.subarray(at, at + HEX_BYTES)]
    const hex = some.map(byte => byte.toString(16).padStart(2, '0')).join(' ')
    const text = some.map(byte => (byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('')
    lines.push(`${hex.padEnd(HEX_BYTES * 3)} ${text}`)
  }
  return lines
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from({ length: Math.floor(text.length / 2) }, (_, i) =>
    Number.parseInt(text.slice(i * 2, i * 2 + 2), 16),
  )
}
