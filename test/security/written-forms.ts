const json = (text: string) => JSON.stringify(text).slice(1, -1)
const html = (text: string) => text.replace(/[&<>"']/g, char => `&#${char.charCodeAt(0)};`)
const ascii = (text: string) =>
  text.replace(/[^ -~]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
const bytes = (text: string) =>
  [...Buffer.from(text)].map(byte => `\\x${byte.toString(16).padStart(2, '0')}`).join('')

const each = (write: (byte: number) => string) => (text: string) => [...Buffer.from(text)].map(write)
const utf16 = (text: string) => Buffer.from(text, 'utf16le')

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
  ['as a list of bytes', text => `[${each(String)(text).join(',')}]`],
  ['as bytes after one another', text => each(String)(text).join(' ')],
  ['as a list of letters', text => JSON.stringify([...text].map(char => char.codePointAt(0)))],
  ['as hexadecimal numbers', text => each(byte => `0x${byte.toString(16)}`)(text).join(', ')],
  ['as octal escapes', text => each(byte => `\\${byte.toString(8).padStart(3, '0')}`)(text).join('')],
  ['as quoted-printable text', text => each(byte => `=${byte.toString(16).padStart(2, '0')}`)(text).join('')],
  ['as UTF-16', text => utf16(text).toString('latin1')],
  ['as UTF-16 in hexadecimal', text => utf16(text).toString('hex')],
  ['as UTF-16 with the high byte first, in hexadecimal', text => utf16(text).swap16().toString('hex')],
  ['as UTF-16 in base64', text => utf16(text).toString('base64')],
  ['as a list of the bytes of UTF-16', text => `[${[...utf16(text)].join(',')}]`],
  ['in base64', text => Buffer.from(text).toString('base64')],
  ['in base64 behind a user name', text => Buffer.from(`eve:${text}`).toString('base64')],
  ['in base64 behind a longer user name', text => Buffer.from(`ada4:${text}`).toString('base64url')],
  ['spaced out', text => [...text].join(' ')],
  ['without its end', text => text.slice(0, Math.ceil(text.length / 2))],
  ['without its start', text => text.slice(Math.floor(text.length / 2))],
]
