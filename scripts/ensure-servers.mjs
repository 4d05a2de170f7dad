// Gets the programs that the tests run against, from Debian's packages: Redis and MariaDB, a browser and a display, and readers
// of files. The packages chosen carry the programs without a system service, so nothing is left running on the machine;
// redis-tools has the server program under the name redis-check-rdb (Debian links redis-server to it).
import { spawnSync } from 'node:child_process'
import { findServer } from '../test/servers/find-server.mjs'

const NEEDED = [
  { program: 'redis-server', package: 'redis-tools' },
  { program: 'mariadbd', package: 'mariadb-server-core' },
  { program: 'mariadb-install-db', package: 'mariadb-server-core' },
  { program: 'my_print_defaults', package: 'mariadb-client-core' },
  { program: 'openssl', package: 'openssl' },
  { program: 'chromium', package: 'chromium' },
  { program: 'Xvfb', package: 'xvfb' },
  // Read reports in Markdown, CSV and PDF.
  { program: 'cmark-gfm', package: 'cmark-gfm' },
  { program: 'python3', package: 'python3-minimal' },
  { program: 'pdftotext', package: 'poppler-utils' },
]

const missing = () => [...new Set(NEEDED.filter(each => !findServer(each.program)).map(each => each.package))]

const packages = missing()
if (packages.length > 0) {
  const prefix = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const mayInstall =
    process.platform === 'linux' &&
    findServer('apt-get') &&
    (prefix.length === 0 || spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0)
  if (!mayInstall) stop(packages)
  console.log(`Installing ${packages.join(' and ')} for the tests`)
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...packages]]) {
    const [command, ...rest] = [...prefix, 'apt-get', '-qq', ...args]
    const run = spawnSync(command, rest, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
    if (run.status !== 0 && args[0] === 'install') stop(packages)
  }
  if (missing().length > 0) stop(missing())
}

function stop(names) {
  console.error(
    `The tests need servers, a browser, a display and file readers: install the Debian packages ${names.join(' and ')}.`,
  )
  process.exit(1)
}
