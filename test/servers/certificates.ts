import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { programPath, temporaryFolder } from './process.ts'

/** Paths of PEM files. */
export type Certificate = { readonly cert: string; readonly key: string }

export type Authority = {
  /** The path of the authority's own certificate. */
  readonly ca: string
  /** `names` as openssl writes them: `DNS:localhost,IP:127.0.0.1`. */
  issue(names: string, days?: number): Certificate
  /** A certificate that no authority knows. */
  selfSigned(names: string): Certificate
  /** The path of a file with this content. */
  file(content: string): string
  remove(): Promise<void>
}

/** A certificate authority in a temporary folder. */
export async function createAuthority(): Promise<Authority> {
  const folder = await temporaryFolder('certificates')
  let files = 0
  const newPath = () => join(folder.path, `${++files}.pem`)
  const file = (content: string) => {
    const path = newPath()
    writeFileSync(path, content)
    return path
  }
  const openssl = (...args: string[]) => execFileSync(programPath('openssl'), args, { stdio: 'pipe' })
  const request = (subject: string) => {
    const key = newPath()
    const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key]
    return { key, args: ['req', ...made, '-subj', `/CN=${subject}`] }
  }
  const selfSigned = (names: string, subject = 'localhost') => {
    const { key, args } = request(subject)
    const cert = newPath()
    openssl(...args, '-x509', '-days', '2', '-addext', `subjectAltName=${names}`, '-out', cert)
    return { key, cert }
  }
  const authority = selfSigned('DNS:authority.example', 'authority')
  return {
    ca: authority.cert,
    issue(names, days = 2) {
      const { key, args } = request('server')
      const [asked, cert] = [newPath(), newPath()]
      openssl(...args, '-out', asked)
      const by = ['-CA', authority.cert, '-CAkey', authority.key, '-CAcreateserial', '-days', String(days)]
      const extensions = file(`subjectAltName=${names}\n`)
      openssl('x509', '-req', '-in', asked, ...by, '-extfile', extensions, '-out', cert)
      return { key, cert }
    },
    selfSigned,
    file,
    remove: () => folder.remove(),
  }
}
