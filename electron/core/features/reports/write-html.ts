import type { Block, Cell, Column } from './block.ts'
import { chartSvg } from './chart-svg.ts'
import { REPORT_STYLE } from './html-style.ts'
import { escapeHtml, shownData, shownSentence } from './html-text.ts'
import { lockCells, lockColumns, outline, titleOf } from './outline.ts'
import { endBlocks } from './outline-events.ts'
import type { ReportWriter } from './writer.ts'

/** No script, nothing from elsewhere: the page cannot do more than be read. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/** One file, for the screen by day and by night and for paper. */
export function htmlWriter(): ReportWriter {
  let charts = 0
  const nextId = () => `chart-${++charts}`
  return {
    *begin(head) {
      yield pageStart(titleOf(head), head.tool.version)
      for (const block of outline(head)) yield blockHtml(block, nextId)
      yield tableStart('All locks', lockColumns(head.asked.withTokens), 'locks')
    },
    locks: locks => locks.map(lock => rowHtml(lockCells(lock))).join(''),
    end: end =>
      `</tbody>\n</table>\n</div>\n${endBlocks(end)
        .map(block => blockHtml(block, nextId))
        .join('')}${PAGE_END}`,
  }
}

/** A document of nothing but blocks. */
export function htmlOf(title: string, version: string, blocks: readonly Block[]): string {
  let charts = 0
  const body = blocks.map(block => blockHtml(block, () => `chart-${++charts}`)).join('')
  return `${pageStart(title, version)}${body}${PAGE_END}`
}

function pageStart(title: string, version: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="Lockkeeper ${escapeHtml(version)}">
<title>${data(title)}</title>
<style>${REPORT_STYLE}</style>
</head>
<body>
<main>
`
}

const PAGE_END = '</main>\n</body>\n</html>\n'

function blockHtml(block: Block, nextId: () => string): string {
  switch (block.is) {
    case 'title':
      return `<header>\n<p class="under">${said(block.under)}</p>\n<h1>${data(block.text)}</h1>\n</header>\n`
    case 'heading':
      return `<h${block.level}>${said(block.text)}</h${block.level}>\n`
    case 'text':
      return `<p${block.quiet ? ' class="quiet"' : ''}>${said(block.text)}</p>\n`
    case 'notice':
      return `<p class="notice t-${block.tone}">${said(block.text)}</p>\n`
    case 'tiles':
      return `<dl class="tiles">\n${block.tiles
        .map(
          ({ name, value, isPart, tone }) =>
            `<div${tone ? ` class="t-${tone}"` : ''}><dd>${isPart ? '<span class="least">at least</span> ' : ''}${said(value)}</dd><dt>${said(name)}</dt></div>\n`,
        )
        .join('')}</dl>\n`
    case 'facts':
      return `<dl class="facts">\n${block.facts
        .map(([name, cell]) => `<dt>${said(name)}</dt><dd>${cellHtml(cell)}</dd>\n`)
        .join('')}</dl>\n`
    case 'table':
      return `${tableStart(block.name, block.columns)}${block.rows.map(rowHtml).join('')}</tbody>\n</table>\n</div>\n`
    case 'charts':
      return block.charts
        .map(
          chart =>
            `<figure>\n<figcaption>${data(chart.title)}</figcaption>\n${chartSvg(chart, nextId())}\n</figure>\n`,
        )
        .join('')
    case 'beside':
      return block.blocks.length === 0
        ? ''
        : `<div class="beside">\n${block.blocks.map(each => blockHtml(each, nextId)).join('')}</div>\n`
    case 'entry':
      return `<article>\n<h3>${block.isOurs ? said(block.key) : `<code>${data(block.key)}</code>`} ${block.tags
        .map(({ text, tone }) => `<span class="tag${tone ? ` t-${tone}` : ''}">${data(text)}</span>`)
        .join(' ')}</h3>\n${block.texts.map(text => `<p>${said(text)}</p>\n`).join('')}${
        block.list.length === 0
          ? ''
          : `<ul>\n${block.list.map(text => `<li>${said(text)}</li>\n`).join('')}</ul>\n`
      }</article>\n`
  }
}

/** A table that is too wide for a small screen scrolls by itself, which whoever has no mouse must be able to do, too. */
function tableStart(name: string, columns: readonly Column[], kind = ''): string {
  const all = columns.reduce((sum, { share = 10 }) => sum + share, 0)
  const widths = columns
    .map(({ share = 10 }) => `<col width="${((share / all) * 100).toFixed(1)}%">`)
    .join('')
  const heads = columns
    .map(({ title, align }) => `<th scope="col"${align ? ' class="right"' : ''}>${said(title)}</th>`)
    .join('')
  const label = escapeHtml(shownSentence(name))
  return `<div class="scroll" role="region" aria-label="${label}" tabindex="0">\n<table${kind ? ` class="${kind}"` : ''}>\n<colgroup>${widths}</colgroup>\n<thead><tr>${heads}</tr></thead>\n<tbody>\n`
}

function rowHtml(cells: readonly Cell[]): string {
  return `<tr>${cells.map(cell => `<td${cell.as === 'number' ? ' class="right"' : ''}>${cellHtml(cell)}</td>`).join('')}</tr>\n`
}

function cellHtml({ text, as, tone }: Cell): string {
  if (as === 'code') return text === '' ? '' : `<code>${data(text)}</code>`
  if (as === 'time') return said(text).replace(/\d{4}-\d\d-\d\d/g, day => `<span class="n">${day}</span>`)
  return tone ? `<span class="t-${tone}">${said(text)}</span>` : said(text)
}

function data(text: string): string {
  return escapeHtml(shownData(text))
}

function said(text: string): string {
  return escapeHtml(shownSentence(text))
}
