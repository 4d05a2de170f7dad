// Gets promtool and Prometheus, which check our metrics and rules. Debian's package also sets up a system service, so it is
// not installed: it is downloaded, and only its two programs are unpacked.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findPrometheus, TEST_PROMETHEUS } from '../test/servers/find-prometheus.mjs'
import { findServer } from '../test/servers/find-server.mjs'

if (!findPrometheus('promtool') || !findPrometheus('prometheus')) {
  if (findServer('apt-get') && findServer('dpkg-deb')) unpack()
  else stop()
}

function unpack() {
  console.log('Getting Prometheus for the tests')
  mkdirSync(dirname(TEST_PROMETHEUS), { recursive: true })
  // Beside its place, so that a rename makes it appear complete.
  const work = mkdtempSync(`${TEST_PROMETHEUS}-`)
  process.on('exit', () => rmSync(work, { recursive: true, force: true }))
  if (!run('apt-get', ['-qq', 'download', 'prometheus'], work)) {
    updateLists()
    if (!run('apt-get', ['-qq', 'download', 'prometheus'], work)) stop()
  }
  const file = readdirSync(work).find(name => name.endsWith('.deb')) ?? ''
  if (!run('dpkg-deb', ['-x', join(work, file), work], work)) stop()
  try {
    renameSync(join(work, 'usr', 'bin'), TEST_PROMETHEUS)
  } catch (error) {
    // Another run finished first.
    if (!existsSync(join(TEST_PROMETHEUS, 'promtool'))) throw error
  }
}

/** Package lists are missing or old; only root may update them. */
function updateLists() {
  const prefix = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const [command, ...args] = [...prefix, 'apt-get', '-qq', 'update']
  run(command, args, '/')
}

function run(command, args, cwd) {
  return spawnSync(command, args, { cwd, stdio: 'ignore' }).status === 0
}

function stop() {
  console.error('The tests need promtool and prometheus on the PATH: the Debian package prometheus has both.')
  process.exit(1)
}
