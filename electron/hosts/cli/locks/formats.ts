import { releaseConsequences } from '../../../../shared/lock-words.ts'
import { safeJson } from '../../../../shared/safe-text.ts'
import type { Args } from '../lib/args.ts'
import { connect } from '../lib/connect.ts'
import { EXIT, unwrap } from '../lib/exit.ts'
import { type Io, print } from '../lib/io.ts'

export async function formatsCommand(args: Args, io: Io): Promise<number> {
  const formats = unwrap(await connect(io).call('formats.list', {}))
  if (args.options['json']) {
    await print(io, safeJson(formats, 2))
    return EXIT.done
  }
  for (const format of formats) {
    const facts = [
      `Written by ${format.writtenBy}.`,
      `Recognised by ${format.recognisedBy}.`,
      ...releaseConsequences(format),
      ...(format.noUndo === null ? [] : [`A release cannot be undone: ${format.noUndo}`]),
    ]
    await print(io, `${format.id}  (${format.store}) ${format.title}`, ...facts.map(fact => `  ${fact}`), '')
  }
  return EXIT.done
}
