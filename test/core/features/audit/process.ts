import { fileAudit } from '../../../../electron/core/features/audit/log.ts'

/** A process of its own: appends to the log of a folder as often as requested, and reports each result. */
const [folder = '', name = '', calls = '0', each = '1', event = 'intent', options = '{}'] =
  process.argv.slice(2)
const log = fileAudit(folder, message => message, JSON.parse(options))
process.stdout.write('ready\n')
for (let call = 0; call < Number(calls); call++) {
  const entries = Array.from({ length: Number(each) }, (_, n) => ({
    event: event as 'intent',
    action: `${name}-${call}-${n}`,
    padding: 'x'.repeat(100),
  }))
  try {
    await log.append(entries)
    process.stdout.write(`done ${call}\n`)
  } catch (error) {
    const { code, message } = error as { code: string; message: string }
    process.stdout.write(`failed ${code} ${message}\n`)
    process.exit(3)
  }
}
