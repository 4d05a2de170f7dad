const json = (text: string) => JSON.stringify(text).slice(1, -1)
const html = (text: string) => text.replace(/[&<>"']/g, char => `&#${char.charCodeAt(0)};`)
const ascii = (text: string) =>
  text.replace(/[^ -~]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
const bytes = (text: string) =>
  [...Buffer.from(text)].map(byte => `\\x${byte.toString(16).padStart(2, '0')}`).join('')

/** The forms in which servers, proxies and logs repeat a text. */
export const WRITTEN_FORMS: readonly (readonly [name: string, write: (text: string) => string])[] = [
  ['as it is', text => text],
  ['in capitals', text => text.toUpperCase()],
  ['reversed', text => [...text].reverse().join('')],
  ['as a URL has it', encodeURIComponent],
  ['as a form has it', text => new URLSearchParams({ text }).toString()],
  ['as JSON', json],
  ['as JSON in JSON', text => json(json(text))],
  ['as JSON of ASCII', text => ascii(json(text))],
  ['as HTML', html],
  ['as HTML of JSON', text => html(json(text))],
  ['as escaped bytes', bytes],
  ['as UTF-8 read as Latin 1', text => Buffer.from(text).toString('latin1')],
  ['in hexadecimal', text => Buffer.from(text).toString('hex').toUpperCase()],
  ['in base64', text => Buffer.from(text).toString('base64')],
  ['in base64 behind a user name', text => Buffer.from(`eve:${text}`).toString('base64')],
  ['in base64 behind a longer user name', text => Buffer.from(`ada4:${text}`).toString('base64url')],
  ['spaced out', text => [...text].join(' ')],
  ['without its end', text => text.slice(0, Math.ceil(text.length / 2))],
  ['without its start', text => text.slice(Math.floor(text.length / 2))],
]
