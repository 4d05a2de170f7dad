import type { Block, Cell, Column, Entry } from './block.ts'
import { chartSvg } from './chart-svg.ts'
import { escapeHtml, htmlData, htmlSentence } from './escape.ts'
import style from './report.css?raw'

/** The page that shows a report allows exactly this text by its hash. */
export const REPORT_STYLE: string = style

/** No script, nothing from elsewhere: the page can only be read. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/** One file, for the screen by day and by night and for paper. Its charts are numbered. */
export function htmlFormat() {
  let charts = 0
  const format = {
    start: (title: string, version: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="Lockkeeper ${escapeHtml(version)}">
<title>${htmlData(title)}</title>
<style>${REPORT_STYLE}</style>
</head>
<body>
<main>
`,
    block(block: Block): string {
      switch (block.is) {
        case 'title':
          return `<header>\n<p class="under">${htmlSentence(block.under)}</p>\n<h1>${htmlData(block.text)}</h1>\n</header>\n`
        case 'heading':
          return `<h2>${htmlSentence(block.text)}</h2>\n`
        case 'text':
          return `<p${block.quiet ? ' class="quiet"' : ''}>${htmlSentence(block.text)}</p>\n`
        case 'notice':
          return `<p class="notice t-${block.tone}">${htmlSentence(block.text)}</p>\n`
        case 'tiles':
          return list('dl class="tiles"', block.tiles, ({ name, value, isPart, tone }) => {
            const least = isPart ? '<span class="least">at least</span> ' : ''
            return `<div${toneClass(tone)}><dd>${least}${htmlSentence(value)}</dd><dt>${htmlSentence(name)}</dt></div>`
          })
        case 'facts':
          return list(
            'dl class="facts"',
            block.facts,
            ([name, cell]) => `<dt>${htmlSentence(name)}</dt><dd>${cellHtml(cell)}</dd>`,
          )
        case 'table':
          return tableStart(block.name, block.columns) + block.rows.map(rowHtml).join('') + TABLE_END
        case 'charts':
          return block.charts
            .map(
              chart =>
                `<figure>\n<figcaption>${htmlData(chart.title)}</figcaption>\n${chartSvg(chart, `chart-${++charts}`)}\n</figure>\n`,
            )
            .join('')
        case 'beside':
          return block.blocks.length === 0
            ? ''
            : `<div class="beside">\n${block.blocks.map(format.block).join('')}</div>\n`
        case 'entry':
          return entryHtml(block)
      }
    },
    tableStart,
    row: rowHtml,
    tableEnd: TABLE_END,
    end: '</main>\n</body>\n</html>\n',
  }
  return format
}

const TABLE_END = '</tbody>\n</table>\n</div>\n'

function entryHtml({ key, isOurs, tags, texts, list: items }: Entry): string {
  const name = isOurs ? htmlSentence(key) : `<code>${htmlData(key)}</code>`
  const tagged = tags
    .map(({ text, tone }) => `<span class="tag${tone ? ` t-${tone}` : ''}">${htmlData(text)}</span>`)
    .join(' ')
  const paragraphs = texts.map(text => `<p>${htmlSentence(text)}</p>\n`).join('')
  const listed = items.length === 0 ? '' : list('ul', items, text => `<li>${htmlSentence(text)}</li>`)
  return `<article>\n<h3>${name} ${tagged}</h3>\n${paragraphs}${listed}</article>\n`
}

function list<T>(tag: string, items: readonly T[], item: (each: T) => string): string {
  return `<${tag}>\n${items.map(each => `${item(each)}\n`).join('')}</${tag.split(' ')[0]}>\n`
}

/** A table that is wider than a small screen scrolls by itself, with the keyboard as well. */
function tableStart(name: string, columns: readonly Column[], kind = ''): string {
  const all = columns.reduce((sum, [, share]) => sum + share, 0)
  const widths = columns.map(([, share]) => `<col width="${((share / all) * 100).toFixed(1)}%">`).join('')
  const heads = columns
    .map(
      ([title, , , align]) => `<th scope="col"${align ? ' class="right"' : ''}>${htmlSentence(title)}</th>`,
    )
    .join('')
  return `<div class="scroll" role="region" aria-label="${htmlSentence(name)}" tabindex="0">\n<table${kind ? ` class="${kind}"` : ''}>\n<colgroup>${widths}</colgroup>\n<thead><tr>${heads}</tr></thead>\n<tbody>\n`
}

function rowHtml(cells: readonly Cell[]): string {
  return `<tr>${cells.map(cell => `<td${cell.as === 'number' ? ' class="right"' : ''}>${cellHtml(cell)}</td>`).join('')}</tr>\n`
}

function cellHtml({ text, as, tone }: Cell): string {
  if (as === 'code') return text === '' ? '' : `<code>${htmlData(text)}</code>`
  const said = htmlSentence(text)
  if (as === 'time') return said.replace(/\d{4}-\d\d-\d\d/g, day => `<span class="n">${day}</span>`)
  return tone ? `<span${toneClass(tone)}>${said}</span>` : said
}

function toneClass(tone: Cell['tone']): string {
  return tone ? ` class="t-${tone}"` : ''
}
