import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MARK } from './echoing-servers.ts'
import { WRITTEN_FORMS } from './written-forms.ts'

/** Where a secret, or a server's words around one, is to be found. */
export function leaksIn(places: Readonly<Record<string, string>>, secrets: readonly string[]): string[] {
  return Object.entries(places).flatMap(([place, text]) => {
    const found = text.includes(MARK) ? [`${place}: ${around(text, MARK)}`] : []
    for (const secret of secrets)
      for (const [form, write] of WRITTEN_FORMS)
        if (text.includes(write(secret))) found.push(`${place}: ${secret} ${form}`)
    return found
  })
}

function around(text: string, part: string): string {
  const at = text.indexOf(part)
  return text.slice(Math.max(0, at - 100), at + 150)
}

/** The text of every file in a folder, by its name. */
export function filesIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(each => each.isFile())
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'utf8')]),
  )
}
