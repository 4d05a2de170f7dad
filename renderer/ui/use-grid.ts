import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'

export const ROW_HEIGHT_PX = 26

type Options<K extends string | number> = {
  readonly order: readonly K[]
  readonly active: K | null
  readonly onMove: (to: K) => void
  /** What other keys do, by `KeyboardEvent.key`. With Shift, Delete concerns all rows and not the grid's active one. */
  readonly actions: Readonly<Record<string, () => void>>
}

/** A grid that draws the rows in view only and keeps the focus itself: its keys move the active row. */
export function useGrid<K extends string | number>({ order, active, onMove, actions }: Options<K>) {
  const scroller = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(1000)
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const activeIndex = active === null ? -1 : order.indexOf(active)
  const virtual = useVirtualizer({
    count: order.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT_PX,
    getItemKey: index => order[index] ?? index,
    overscan: 6,
    paddingEnd: 4,
    // The active row stays in the page when it is scrolled out of sight: the grid names it as the one that has the focus.
    rangeExtractor: range => {
      const inView = defaultRangeExtractor(range)
      if (activeIndex < 0 || inView.includes(activeIndex)) return inView
      return activeIndex < range.startIndex ? [activeIndex, ...inView] : [...inView, activeIndex]
    },
  })

  const moveTo = (index: number) => {
    const at = Math.max(0, Math.min(order.length - 1, index))
    const to = order[at]
    if (to === undefined) return
    onMove(to)
    virtual.scrollToIndex(at)
  }
  const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 500) / ROW_HEIGHT_PX) - 1)
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: activeIndex + 1,
    ArrowUp: activeIndex - 1,
    PageDown: activeIndex + page,
    PageUp: activeIndex - page,
    Home: 0,
    End: order.length - 1,
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, altKey, ctrlKey, metaKey, shiftKey } = event
    if (event.target !== event.currentTarget || altKey || ctrlKey || metaKey) return
    if (key === 'Delete' && shiftKey) return
    const move = moves[key]
    const action = actions[key]
    if (move === undefined && !action) return
    event.preventDefault()
    if (move === undefined) action?.()
    else moveTo(move)
  }
  return { scroller, width, virtual, activeIndex, onKeyDown }
}
