import { createHmac, randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, createWholeFile, openToRead } from './disk.ts'

const FILE = 'installation.key'
const SECRET = /^[0-9a-f]{64}\n$/
const OTHERS = 0o077

/** Signs texts, each for one purpose: a signature for one is none for another. */
export type Sign = (text: string) => string

/**
 * The secret of this installation, in a file of the data folder that this account alone may read: it proves that a file was written
 * here. Other programs of this account can read it.
 */
export class InstallationKey {
  #secret: Promise<string> | null = null

  constructor(readonly folder: string) {}

  async signer(purpose: string): Promise<Sign> {
    this.#secret ??= this.#load().catch(error => {
      this.#secret = null
      throw error
    })
    const key = createHmac('sha256', await this.#secret)
      .update(purpose)
      .digest()
    return text => createHmac('sha256', key).update(text).digest('hex')
  }

  async #load(): Promise<string> {
    const path = join(this.folder, FILE)
    const known = await readSecret(path)
    if (known !== null) return known
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    await createWholeFile(path, `${randomBytes(32).toString('hex')}\n`)
    // Another process may have been first.
    const secret = await readSecret(path)
    if (secret === null) throw Object.assign(new Error(`${FILE} cannot be kept`), { code: 'EIO' })
    return secret
  }
}

/** Null without a file. A secret that others could read, or a damaged one, is worth nothing, and is removed. */
async function readSecret(path: string): Promise<string | null> {
  const handle = await openToRead(path).catch(error => {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  })
  if (handle === null) return null
  try {
    const { mode } = await handle.stat()
    const text = await handle.readFile('utf8')
    // Windows has other permissions.
    if (SECRET.test(text) && (process.platform === 'win32' || (mode & OTHERS) === 0)) return text
  } finally {
    await handle.close()
  }
  await rm(path, { force: true })
  return null
}
