import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef, useState } from 'react'
import { readAll } from '../../../shared/client.ts'
import type { RawPart, RawPiece } from '../../../shared/locks.ts'
import { openOrEnd } from '../../state/stream.ts'
import type { Inspected } from '../../state/view.ts'
import { Button } from '../../ui/Button.tsx'
import { useRequest } from '../../ui/Dialog.tsx'
import { SegmentButtons } from '../../ui/Field.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { shownText, t } from '../../words/words.ts'
import styles from './RawValue.module.css'

const LINE_HEIGHT = 16
const TEXT_LINE = 40
const HEX_BYTES = 8

type Props = {
  readonly part: RawPart
  /** Where to read the whole part. */
  readonly target: Inspected
}

/** One part of a record. Only the lines in view are in the page, so huge values scroll too. */
export function RawValue({ part, target }: Props) {
  const [wantsHex, setHex] = useState(part.encoding === 'hex')
  const [whole, setWhole] = useState<(RawPiece & { readonly of: RawPart }) | null>(null)
  const { working, error, run } = useRequest(
    () => readAll(openOrEnd, 'locks.raw', { ...target, digest: part.digest ?? '' }),
    pieces => {
      const encoding = pieces[0]?.encoding ?? part.encoding
      setWhole({ of: part, encoding, text: pieces.map(({ text }) => text).join('') })
    },
  )
  // The record may have been read again meanwhile.
  const { encoding, text } = whole?.of === part ? whole : part
  const hex = wantsHex || encoding === 'hex'
  const bytes = useMemo(
    () => (encoding === 'hex' ? fromHex(text) : new TextEncoder().encode(text)),
    [encoding, text],
  )
  const lineCount = Math.ceil(hex ? bytes.length / HEX_BYTES : text.length / TEXT_LINE)
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: lineCount,
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
        {encoding === 'text' ? (
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
      {lineCount > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keys
        <div ref={scroller} className={`mono ${styles.body}`} tabIndex={0} role="group" aria-label={label}>
          <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
            {virtual.getVirtualItems().map(item => (
              <div
                key={item.key}
                className={styles.line}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                {hex ? hexLine(bytes, item.index) : textLine(text, item.index)}
              </div>
            ))}
          </div>
        </div>
      )}
      {whole?.of !== part && part.digest !== undefined && (
        <p className={`muted ${styles.cut}`}>
          {t.inspector.rawCut(t.inspector.rawSize(bytes.length), t.inspector.rawSize(part.size))}{' '}
          <Button look="link" disabled={working} onClick={run}>
            {t.inspector.rawAll(t.inspector.rawSize(part.size))}
          </Button>
        </p>
      )}
      {error && <ErrorNotice role="status" what={t.inspector.rawUnread} error={error} />}
    </section>
  )
}

function textLine(text: string, line: number): string {
  return shownText(text.slice(lineStart(text, line), lineStart(text, line + 1)))
}

/** Never in the middle of a character. */
function lineStart(text: string, line: number): number {
  const at = line * TEXT_LINE
  const isWithin = /[\udc00-\udfff]/.test(text.charAt(at)) && /[\ud800-\udbff]/.test(text.charAt(at - 1))
  return isWithin ? at + 1 : at
}

function hexLine(bytes: Uint8Array, line: number): string {
  const some = [...bytes.subarray(line * HEX_BYTES, (line + 1) * HEX_BYTES)]
  const hex = some.map(byte => byte.toString(16).padStart(2, '0')).join(' ')
  const text = some.map(byte => (byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('')
  return `${hex.padEnd(HEX_BYTES * 3)} ${text}`
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from({ length: Math.floor(text.length / 2) }, (_, i) =>
    Number.parseInt(text.slice(i * 2, i * 2 + 2), 16),
  )
}
