import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { escapeForTerminal } from '../../../shared/safe-text.ts'
import { StoreError } from '../lib/errors.ts'
import { shellQuote } from '../lib/shell-quote.ts'
import { codeOf, createWholeFile, openToRead, replaceFile } from './disk.ts'

const FILE = 'installation.key'
const SECRET = /^[0-9a-f]{64}\n$/
const OTHERS = 0o077

/** Signs texts, each for one purpose: a signature for one is none for another. */
export type Sign = (text: string) => string

/** Signs for readers without the secret: they need only the public key. */
export type PublicSigner = { readonly publicKey: string; readonly sign: Sign }

/** Of an Ed25519 key in DER, without the key itself. */
const PRIVATE_KEY = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_KEY = Buffer.from('302a300506032b6570032100', 'hex')

/**
 * The secret of this installation, in a file of the data folder that this account alone may read: it proves that a file was written
 * here. Other programs of this account can read it. It is read for each use: another process may replace it, or open it to others.
 */
export class InstallationKey {
  constructor(readonly folder: string) {}

  /** A new secret: what was signed with the old one is no longer from here. */
  async replace(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    await replaceFile(join(this.folder, FILE), newSecret(), { flush: true })
  }

  /** For what only this installation reads. */
  async signer(purpose: string): Promise<Sign> {
    const key = createHmac('sha256', await this.#read())
      .update(purpose)
      .digest()
    return text => createHmac('sha256', key).update(text).digest('hex')
  }

  /** For what other installations read, too. */
  async publicSigner(purpose: string): Promise<PublicSigner> {
    const seed = Buffer.from(hkdfSync('sha256', await this.#read(), '', 'public signer', 32))
    const key = createPrivateKey({ key: Buffer.concat([PRIVATE_KEY, seed]), format: 'der', type: 'pkcs8' })
    const spki = createPublicKey(key).export({ format: 'der', type: 'spki' })
    return {
      publicKey: spki.subarray(PUBLIC_KEY.length).toString('hex'),
      sign: text => sign(null, statement(purpose, text), key).toString('hex'),
    }
  }

  async #read(): Promise<string> {
    const path = join(this.folder, FILE)
    const known = await readSecret(path)
    if (known !== null) return known
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    await createWholeFile(path, newSecret())
    // Another process may have been first.
    const secret = await readSecret(path)
    if (secret === null) throw Object.assign(new Error(`${FILE} cannot be kept`), { code: 'EIO' })
    return secret
  }
}

function newSecret(): string {
  return `${randomBytes(32).toString('hex')}\n`
}

/** Whether the owner of a public key has signed a text for a purpose. */
export function isSignedBy(publicKey: string, purpose: string, text: string, signature: string): boolean {
  return verify(null, statement(purpose, text), keyObjectOf(publicKey), Buffer.from(signature, 'hex'))
}

/** The field of the curve, and its constant. */
const P = 2n ** 255n - 19n
const D = modulo(-121665n * power(121666n, P - 2n))

/** Whether a key can have been made from a secret: a point of the curve, and none of the few for which anyone can sign. */
export function isPublicKey(publicKey: string): boolean {
  const bytes = Buffer.from(publicKey, 'hex').reverse()
  const y = BigInt(`0x${bytes.toString('hex')}`) & (2n ** 255n - 1n)
  const ySquared = modulo(y * y)
  const xSquared = modulo((ySquared - 1n) * power(D * ySquared + 1n, P - 2n))
  const isOnCurve = y < P && power(xSquared, (P - 1n) / 2n) === 1n
  // The points of an order up to 8: x is 0 for 1 and 2, y for 4, and both squares add up to 0 for 8.
  return isOnCurve && xSquared !== 0n && y !== 0n && modulo(xSquared + ySquared) !== 0n
}

function modulo(n: bigint): bigint {
  return ((n % P) + P) % P
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let square = modulo(base)
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = modulo(result * square)
    square = modulo(square * square)
  }
  return result
}

function keyObjectOf(publicKey: string): KeyObject {
  const key = Buffer.concat([PUBLIC_KEY, Buffer.from(publicKey, 'hex')])
  return createPublicKey({ key, format: 'der', type: 'spki' })
}

function statement(purpose: string, text: string): Buffer {
  return Buffer.from(`${purpose}\n${text}`)
}

/** Null without a file. A damaged secret is worth nothing and is removed; one that others could read is refused, and stays. */
async function readSecret(path: string): Promise<string | null> {
  const handle = await openToRead(path).catch(error => {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  })
  if (handle === null) return null
  try {
    const { mode } = await handle.stat()
    // Windows has other permissions.
    if (process.platform !== 'win32' && (mode & OTHERS) !== 0) throw exposed(path, mode)
    const text = await handle.readFile('utf8')
    if (SECRET.test(text)) return text
  } finally {
    await handle.close()
  }
  await rm(path, { force: true })
  return null
}

function exposed(path: string, mode: number): StoreError {
  const rights = (mode & 0o777).toString(8)
  return new StoreError(
    'REFUSED',
    `The key of this installation, ${escapeForTerminal(path)}, is open to other users (mode ${rights}), so it is not used and nothing was changed. Run chmod 600 ${shellQuote(path)}; whoever could read it may sign as this installation, so that "lockkeeper keys --new" should replace it unless you trust them`,
  )
}
