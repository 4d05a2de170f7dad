import { describe, expect, it } from 'vitest'
import { quoteServerText, WITHHELD } from '../../../electron/core/lib/server-text.ts'
import { textWidth } from '../../../shared/safe-text.ts'
import { WRITTEN_FORMS } from '../../security/written-forms.ts'

describe("a server's words", () => {
  it.each([
    ['oops', '"oops"'],
    ['  oops\n', '"oops"'],
    ['a\nb\u001b[31m\u202e', '"a\\nb\\x1b[31m\\u{202e}"'],
    ['', '""'],
  ])('%j are quoted as %s', (text, quoted) => {
    expect(quoteServerText(text, [])).toBe(quoted)
    expect(quoteServerText(text, ['correct horse 42'])).toBe(quoted)
  })

  it('are cut to one line, also in wide characters', () => {
    for (const char of ['a', '漢', '\u001b']) {
      const quoted = quoteServerText(char.repeat(10_000), [])
      expect(textWidth(quoted)).toBeLessThanOrEqual(202)
      expect(quoted).toMatch(/…"$/)
    }
  })

  it('are read only as far as they are shown', () => {
    const far = `${'x'.repeat(3000)}correct horse 42`
    expect(quoteServerText(far, ['correct horse 42'])).toMatch(/^"x+…"$/)
  })
})

const SECRETS = [
  'correct horse 42',
  'p"a\'ss\\w<o>rd&1',
  '100%25 sure, 50% not',
  'two\nlines\tand a tab',
  '\u001b[31mred\u202etext',
  'пароль-секрет',
  '密码很长也没有空格',
  '😀-a-big-smile-😀',
  'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
]

describe('a secret', () => {
  describe.each(WRITTEN_FORMS)('that a server repeats %s', (_, written) => {
    it.each(SECRETS)('withholds its words: %j', secret => {
      expect(quoteServerText(`ERR "${written(secret)}" is wrong`, [secret])).toBe(WITHHELD)
      expect(quoteServerText('ERR this is wrong', [secret])).toBe('"ERR this is wrong"')
    })
  })

  it.each(['', 'a', 'ab', '4711', 'passwd1', '!?-+*/="§$%&'])(
    'that is too short to be found withholds everything: %j',
    secret => {
      for (const words of ['ERR wrong', secret, 'b', ''])
        expect(quoteServerText(words, [secret])).toBe(WITHHELD)
    },
  )

  it('is found among several', () => {
    expect(quoteServerText('no: second-secret', ['first-secret', 'second-secret'])).toBe(WITHHELD)
  })
})
