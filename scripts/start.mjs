// `npm start`: builds the console and opens it.
import { spawnSync } from 'node:child_process'

// As in shared/address.ts, which is not built yet.
const ADDRESS_WITH_PASSWORD =
  /^(?:--[\w-]+=)?[\s"'`]*[a-z][\w+.-]*:\/\/(?:[^/?]*:[^/?]*@|[^/?]*:(?!\d*[/?])[^:/?\]]*[/?].*@)/is

// Before the build, which takes seconds: until npm ends, every user of the machine can read its arguments.
if (process.argv.slice(2).some(each => ADDRESS_WITH_PASSWORD.test(each))) {
  console.error(
    'lockkeeper: An argument contains a password, which every user of this machine could read. Nothing was started: put the address in LOCKKEEPER_STORES, or leave the password out and enter it in the console',
  )
  process.exit(2)
}
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const { status } = spawnSync(npm, ['run', '--silent', 'build'], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
})
if (status !== 0) process.exit(status ?? 1)
process.argv.splice(2, 0, 'console')
await import(new URL('../dist/node/cli.js', import.meta.url).href)
