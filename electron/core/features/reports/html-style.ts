/**
 * The stylesheet of a report. It is the same in every report, so that the page that shows one may allow exactly this text by its
 * hash and no other. Colours are the console's.
 */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --paper: #fff; --raised: #f6f5f1; --line: #e2dfd7; --line-2: #cbc7bc; --ink: #1d2426; --ink-2: #4d5659; --ink-3: #5f6769; --accent: #0d5c63; --danger: #a82218; --danger-soft: #fbe6e3; --warn: #7f5200; --warn-soft: #faefd6; --endless: #5a3fae; --endless-soft: #ebe6fa; --live: #1f6e3d; --c-held: #5f9ea0; --c-expiring: #dba636; --c-expired: #c4493d; --c-endless: #8b73d6; --c-unknown: #a9b1b3; --c-taken: #0d5c63; --c-freed: #b06f00; --c-lapsed: #a82218; --c-passed-on: #8f3a8c; --c-renewed: #7b878b; --hatch: #1d2426; --gap: #eeece6; }
@media screen and (prefers-color-scheme: dark) { :root { --paper: #10171a; --raised: #182125; --line: #253034; --line-2: #3a484d; --ink: #e6ebea; --ink-2: #b3bebf; --ink-3: #93a0a2; --accent: #62c4bc; --danger: #ff9a8d; --danger-soft: #3a1b19; --warn: #edb85a; --warn-soft: #352a12; --endless: #b9a4ff; --endless-soft: #29224a; --live: #7fd099; --c-held: #3f8f92; --c-expiring: #d9a43c; --c-expired: #dd6557; --c-endless: #9a84e6; --c-unknown: #6d7a7e; --c-taken: #62c4bc; --c-freed: #edb85a; --c-lapsed: #ff9a8d; --c-passed-on: #d793d4; --c-renewed: #8d9a9e; --hatch: #10171a; --gap: #1b2428; } }
* { box-sizing: border-box; }
html { background: var(--paper); color: var(--ink); font: 400 14px/1.5 Inter, "Inter Variable", system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; -webkit-text-size-adjust: 100%; }
body { margin: 0; }
main { max-width: 1080px; margin: 0 auto; padding: 32px 28px 64px; }
h1, h2, h3, p, dl, dd, ul, figure, article { margin: 0; padding: 0; }
h1 { font-size: 26px; line-height: 1.2; font-weight: 650; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { padding-bottom: 6px; border-bottom: 1px solid var(--line-2); font-size: 17px; font-weight: 650; }
h3 { font-size: 14px; font-weight: 600; overflow-wrap: anywhere; }
main > * + * { margin-top: 12px; }
p { max-width: 78ch; overflow-wrap: anywhere; }
main > h2 { margin-top: 36px; }
.under { color: var(--ink-2); font-size: 13px; }
.least { display: block; font-size: 11px; font-weight: 550; line-height: 1.3; }
.quiet, .t-quiet { color: var(--ink-3); }
.t-danger { color: var(--danger); }
.t-warn { color: var(--warn); }
.t-endless { color: var(--endless); }
.t-live { color: var(--live); }
.notice { max-width: none; padding: 10px 14px; border-left: 3px solid currentColor; border-radius: 4px; font-weight: 550; }
.notice.t-danger { background: var(--danger-soft); }
.notice.t-warn { background: var(--warn-soft); }
code { font: 0.92em/1.4 "JetBrains Mono", "JetBrains Mono Variable", ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-variant-ligatures: none; overflow-wrap: anywhere; unicode-bidi: isolate; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(132px, 1fr)); gap: 10px; }
.tiles > div { display: flex; flex-direction: column; padding: 10px 12px; border: 1px solid var(--line); border-radius: 8px; background: var(--raised); }
.tiles dd { font-size: 22px; font-weight: 650; line-height: 1.2; font-variant-numeric: tabular-nums; }
.tiles dt { color: var(--ink-2); font-size: 12px; line-height: 1.35; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 4px 20px; }
.facts dt { color: var(--ink-2); }
.facts dd { overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
.scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
table { width: 100%; min-width: 720px; border-collapse: collapse; table-layout: fixed; font-size: 13px; }
th { padding: 6px 10px 6px 0; border-bottom: 1px solid var(--line-2); color: var(--ink-2); font-size: 12px; font-weight: 550; text-align: left; vertical-align: bottom; }
td { padding: 6px 10px 6px 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.right { text-align: right; }
th:last-child, td:last-child { padding-right: 0; }
.n { white-space: nowrap; }
table.locks { min-width: 860px; font-size: 12px; }
.beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(360px, 100%), 1fr)); gap: 20px 36px; align-items: start; }
.beside table { min-width: 0; }
figure { padding: 12px 14px 6px; border: 1px solid var(--line); border-radius: 8px; }
figcaption { font-weight: 600; overflow-wrap: anywhere; }
.chart { display: block; width: 100%; height: auto; margin-top: 4px; }
.chart text { font: 400 11px Inter, "Inter Variable", system-ui, sans-serif; fill: var(--ink-3); }
.chart .strong { fill: var(--ink-2); font-weight: 550; }
.grid { stroke: var(--line); stroke-width: 1; fill: none; }
.axis, .tick { stroke: var(--line-2); stroke-width: 1; fill: none; }
.gap { fill: var(--gap); }
.line { fill: none; stroke-width: 1.6; stroke-linejoin: round; }
.bar { fill: var(--c-held); }
.area { stroke: var(--paper); stroke-width: 0.3; }
.area.s-held { fill: var(--c-held); }
.area.s-expiring { fill: var(--c-expiring); }
.area.s-expired { fill: var(--c-expired); }
.area.s-endless { fill: var(--c-endless); }
.area.s-unknown { fill: var(--c-unknown); }
.hatch path { fill: none; stroke: var(--hatch); stroke-width: 1; opacity: 0.65; }
.hatch circle { fill: var(--hatch); opacity: 0.7; }
.line.s-taken { stroke: var(--c-taken); stroke-width: 2.2; }
.line.s-freed { stroke: var(--c-freed); stroke-dasharray: 7 4; }
.line.s-lapsed { stroke: var(--c-lapsed); stroke-width: 2.4; stroke-linecap: round; stroke-dasharray: 0.1 5; }
.line.s-renewed { stroke: var(--c-renewed); stroke-dasharray: 16 3; }
.line.s-passedOn { stroke: var(--c-passed-on); stroke-dasharray: 10 3 2 3; }
article { padding: 10px 14px; border: 1px solid var(--line); border-radius: 8px; }
article p { margin-top: 4px; }
article ul { margin-top: 6px; padding-left: 18px; color: var(--ink-2); font-size: 13px; }
article li { overflow-wrap: anywhere; }
.tag { display: inline-block; margin-left: 4px; padding: 0 7px; border: 1px solid var(--line-2); border-radius: 9px; color: var(--ink-2); font-size: 11px; font-weight: 550; line-height: 17px; vertical-align: 1px; }
.tag.t-danger { border-color: currentColor; color: var(--danger); }
.tag.t-warn { border-color: currentColor; color: var(--warn); }
.tag.t-endless { border-color: currentColor; color: var(--endless); }
@media (max-width: 560px) { main { padding: 20px 16px 40px; } .facts { grid-template-columns: minmax(0, 1fr); gap: 0; } .facts dd { margin-bottom: 8px; } }
@page { size: A4; margin: 16mm 14mm 18mm; @bottom-left { content: "Lockkeeper"; font: 8pt sans-serif; color: #5f6769; } @bottom-right { content: counter(page) " / " counter(pages); font: 8pt sans-serif; color: #5f6769; } }
@media print {
  :root { color-scheme: light; }
  html { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  main > h2 { margin-top: 22pt; }
  h1, h2, h3, figcaption { break-after: avoid; }
  thead { display: table-header-group; }
  tr, figure, .tiles > div, .notice, .facts > * { break-inside: avoid; }
  article { break-inside: avoid; }
  .scroll { overflow: visible; }
  table, table.locks { min-width: 0; font-size: 8.5pt; }
  table.locks { font-size: 7.5pt; }
  td, th { padding: 3pt 6pt 3pt 0; }
  .tiles { grid-template-columns: repeat(6, 1fr); gap: 6pt; }
  .beside { grid-template-columns: 1fr 1fr; }
  .tiles dd { font-size: 15pt; }
  .notice, .tiles > div, .area, .over, .bar, .gap { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`
