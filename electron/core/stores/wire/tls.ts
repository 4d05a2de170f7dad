import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { type ConnectionOptions, checkServerIdentity, createSecureContext } from 'node:tls'
import type { AddressField, FormInput } from '../../../../shared/kinds.ts'
import { shownName } from '../../../../shared/safe-text.ts'
import { badInput } from '../../lib/errors.ts'

/** The part of an address that is about TLS. The first three are paths of PEM files. */
export type TlsFields = {
  /** The authorities that are trusted instead of the usual ones. */
  readonly ca: string | null
  readonly cert: string | null
  readonly key: string | null
  /** The host or IP address that the server's certificate must be for, instead of the one that is connected to. */
  readonly servername: string | null
}

export const NO_TLS: TlsFields = { ca: null, cert: null, key: null, servername: null }

export function hasTlsFields(fields: TlsFields): boolean {
  return TLS_FIELDS.some(({ name }) => fields[name as keyof TlsFields] !== null)
}

/** Options of an address with a field `tls`, which must be on; `how` shows how an address says that. */
export function tlsFields(how: string): readonly AddressField[] {
  const problem = needTls(how)
  return TLS_FIELDS.map(field => ({ ...field, needs: { flag: 'tls', problem } }))
}

export function needTls(how: string): string {
  return `ca, cert, key and servername need TLS: use ${how}`
}

export const TLS_FIELDS: readonly AddressField[] = Object.keys(NO_TLS).map(name => ({ name }))

export const TLS_INPUTS: readonly FormInput[] = [
  { field: 'ca', label: 'CA file', hint: 'PEM, for a private authority' },
  { field: 'cert', label: 'Client certificate file', hint: 'PEM, if the server requires one' },
  { field: 'key', label: 'Client key file', hint: 'PEM' },
  { field: 'servername', label: 'Name in the certificate', hint: 'Default: the host' },
]

/** For an address with a field `tls`. */
export const INPUTS_WITH_TLS: readonly FormInput[] = TLS_INPUTS.map(input => ({
  ...input,
  when: { field: 'tls', is: ['true'] },
}))

/** Far more than all public authorities together. */
const MAX_FILE_BYTES = 1024 * 1024

/** Options of `tls.connect` and of an agent. The files are read now; they are small. */
export function tlsOptions({ ca, cert, key, servername }: TlsFields): ConnectionOptions {
  if ((cert === null) !== (key === null))
    throw badInput('The options cert and key of an address belong together')
  const files = {
    rejectUnauthorized: true,
    ...(ca === null ? {} : { ca: readPem(ca) }),
    ...(cert === null || key === null ? {} : { cert: readPem(cert), key: readPem(key) }),
  }
  try {
    if (ca !== null || cert !== null) createSecureContext(files)
  } catch (error) {
    throw badInput(
      'The files of ca, cert and key cannot be used: the key must have no password and fit',
      error,
    )
  }
  if (servername === null) return files
  const checked = { checkServerIdentity: checkedFor(servername), ...files }
  // A server may choose its certificate by the name that is asked for, which cannot be an IP address.
  return isIP(servername) ? checked : { servername, ...checked }
}

function checkedFor(name: string): ConnectionOptions['checkServerIdentity'] {
  return (_, certificate) => checkServerIdentity(name, certificate)
}

function readPem(path: string): string {
  const fail = (why: string, cause?: unknown) =>
    badInput(`The file "${shownName(path, 200)}" of the address ${why}`, cause)
  let text: string
  try {
    const stats = statSync(path)
    // Reading a pipe or a device may never end.
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES) throw fail('is not a PEM file')
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw typeof code === 'string' && /^E[A-Z]+$/.test(code) ? fail(`cannot be read (${code})`, error) : error
  }
  if (!text.includes('-----BEGIN ')) throw fail('is not a PEM file')
  return text
}

const PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [
    /SELF_SIGNED|UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY_LEAF|CERT_UNTRUSTED|INVALID_CA/,
    'has a certificate that is self-signed or from an unknown authority; ca= names the file of its authority',
  ],
  [/CERT_HAS_EXPIRED/, 'has a certificate that has expired'],
  [/CERT_NOT_YET_VALID/, 'has a certificate that is not valid yet'],
  [
    /ALTNAME_INVALID/,
    'has a certificate for another host; if that is the right server, servername= gives its name',
  ],
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HANDSHAKE_NO_SSL_SUPPORT/, 'does not offer TLS'],
  [/CERTIFICATE_REQUIRED/, 'requires a certificate of the client: cert= and key= name its files'],
  [/ALERT_.*(CERTIFICATE|UNKNOWN_CA)/, 'refuses the certificate of the client ({code})'],
  [/CERT|SIGNATURE/, 'has a certificate that is not trusted ({code})'],
  [/^ERR_SSL|^ERR_TLS|^EPROTO$/, 'does not agree on TLS ({code})'],
]

/** Why TLS failed; completes "The server at …". Null for an error that is not about TLS. */
export function tlsProblem(error: unknown): string | null {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  // An answer that is no TLS at all, while our side still writes.
  if (code === 'EPROTO' && /wrong version number|packet length too long/.test(String(message)))
    return 'does not offer TLS'
  if (typeof code !== 'string' || !/^[A-Z][A-Z0-9_]{1,80}$/.test(code)) return null
  const problem = PROBLEMS.find(([pattern]) => pattern.test(code))?.[1]
  return problem?.replace('{code}', code) ?? null
}

export function isAboutTls(error: unknown): boolean {
  return tlsProblem(error) !== null
}
