/** What lies over the colour of an area. Held is plain: it is most of what there is. */
const HATCHES: Readonly<Record<string, string>> = {
  expiring: '<path d="M-2 8L8 -2M0 10L10 0M6 12L12 6"/>',
  expired: '<path d="M0 0L8 8M8 0L0 8"/>',
  endless: '<circle cx="2" cy="2" r="1.1"/><circle cx="6" cy="6" r="1.1"/>',
  unknown: '<path d="M0 -2L10 8M-2 0L8 10"/>',
}

/** For the beginning of a chart: a page may have many, and each has its own. */
export function hatches(id: string): string {
  const patterns = Object.entries(HATCHES).map(
    ([style, drawn]) =>
      `<pattern id="${id}-${style}" class="hatch" patternUnits="userSpaceOnUse" width="8" height="8">${drawn}</pattern>`,
  )
  return `<defs>${patterns.join('')}</defs>`
}

/** Null for what is plain. */
export function hatchOf(style: string, id: string): string | null {
  return style in HATCHES ? `url(#${id}-${style})` : null
}
