import { type InstallationKeys, publicKeySchema } from '../../../shared/keys.ts'
import { escapeForTerminal, neutralise, safeJson } from '../../../shared/safe-text.ts'
import { type Args, reader } from './lib/args.ts'
import { connect } from './lib/connect.ts'
import { EXIT, unwrap } from './lib/exit.ts'
import { type Io, print, warn } from './lib/io.ts'

const publicKey = reader('a key as "lockkeeper keys" prints it: 64 hexadecimal digits', text => {
  return publicKeySchema.safeParse(text.toLowerCase()).data ?? null
})

/** Lists the keys whose plans are accepted here, or changes them. */
export async function keysCommand({ positionals, options }: Args, io: Io): Promise<number> {
  const client = connect(io)
  const { trust, forget } = options
  if (options.new) unwrap(await client.call('keys.renew', {}))
  const [key = ''] = positionals
  if (trust !== undefined)
    unwrap(await client.call('keys.trust', { name: trust, key: publicKey(key, 'KEY') }))
  if (forget !== undefined) unwrap(await client.call('keys.forget', { name: forget }))
  const keys = unwrap(await client.call('keys.list', {}))
  if (options.json) await print(io, safeJson(keys))
  else await printKeys(keys, io)
  return EXIT.done
}

async function printKeys(keys: InstallationKeys, io: Io): Promise<void> {
  if (keys.notice !== null) warn(io, escapeForTerminal(keys.notice))
  await print(
    io,
    keys.problem === null
      ? `This installation signs its plans with ${keys.own ?? 'no key: its data folder cannot be written'}`
      : neutralise(keys.problem),
    keys.trusted.length === 0
      ? 'Plans of other installations are refused.'
      : 'Plans of these are accepted, too:',
    ...keys.trusted.map(({ name, key }) => `  ${key}  ${escapeForTerminal(name)}`),
  )
}
