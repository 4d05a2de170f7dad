import type { Random } from '../random.ts'

export type Protocol = 'redis' | 'mysql' | 'dynamodb'

/** What a hostile server sends instead, and what it does then. */
export type Mutation = {
  readonly bytes: Buffer
  readonly next: 'go on' | 'close' | 'hang' | 'flood' | 'dribble'
}

const TOKENS: Readonly<Record<Protocol, readonly string[]>> = {
  redis: [
    ...[
      '$-1',
      '*-1',
      '*0',
      ':0',
      ':-1',
      ':9223372036854775807',
      '+OK',
      '+QUEUED',
      '$0\r\n',
      '>-1',
      '_',
      '#t',
    ],
    ...[
      '-ERR no',
      '-NOSCRIPT no',
      '-NOPERM no',
      '-MOVED 1 127.0.0.1:1',
      '-MOVED x',
      '-WRONGTYPE',
      '-READONLY',
    ],
    ...[
      '*2\r\n:1\r\n:2',
      '*2\r\n$1\r\na\r\n*1\r\n$-1',
      '$8\r\nreleased',
      '$4\r\ngone',
      '$2147483647',
      '*99999999',
    ],
    ...[
      '*3\r\n$7\r\nmessage\r\n$-1\r\n$-1',
      '%1\r\n+a\r\n+b',
      '=5\r\ntxt:a',
      '!3\r\nERR',
      '(1',
      ',1.5',
      '~1\r\n:1',
    ],
  ],
  mysql: [
    '00000002000000',
    '00010002000000',
    'fe00002200',
    'fb2f612f62',
    '',
    '00',
    'ff',
    'ff280423485930303061',
    '01',
    'fdffffff',
  ].concat([
    'fefffffffffffffffff',
    '0a382e302e300001',
    'fe6d7973716c5f636c6561725f70617373776f726400',
    '0800',
    'fc0000',
  ]),
  dynamodb: [
    'null',
    '5',
    '""',
    '"x"',
    '[]',
    '{}',
    '[null]',
    '{"S":5}',
    '{"L":[{"L":[{"N":"x"}]}]}',
    'true',
    '1e999',
    '-1',
  ].concat([
    '{"NULL":1}',
    '{"B":"*"}',
    '{"N":"1e400"}',
    '{"M":{"__proto__":{"S":"a"}}}',
    '{"S":"a","N":"1"}',
  ]),
}

export function mutate(chunk: Buffer, random: Random, protocol: Protocol): Mutation {
  const at = random.below(chunk.length + 1)
  const [head, tail] = [chunk.subarray(0, at), chunk.subarray(at)]
  const next = random.pick(['go on', 'go on', 'go on', 'close', 'dribble'] as const)
  switch (random.below(9)) {
    case 0:
      return { bytes: head, next: random.below(20) === 0 ? 'hang' : 'close' }
    case 1:
      return { bytes: Buffer.concat([head, Buffer.from([random.below(256)]), tail.subarray(1)]), next }
    case 2:
      return { bytes: Buffer.concat([head, tail.subarray(1 + random.below(8))]), next }
    case 3:
      return { bytes: Buffer.concat([head, random.bytes(12), tail]), next }
    case 4:
      return { bytes: Buffer.concat([chunk, chunk]), next }
    case 5:
      return { bytes: Buffer.concat([tail, head]), next }
    case 6:
      return { bytes: head, next: random.below(10) === 0 ? 'flood' : 'dribble' }
    default:
      return { bytes: reshaped(chunk, random, protocol), next: 'go on' }
  }
}

/** One part of an answer has another shape, and the rest is as it was. */
function reshaped(chunk: Buffer, random: Random, protocol: Protocol): Buffer {
  const token = random.pick(TOKENS[protocol])
  if (protocol === 'redis') return reshapedLines(chunk, token, random)
  return protocol === 'mysql' ? reshapedPackets(chunk, token, random) : reshapedJson(chunk, token, random)
}

function reshapedLines(chunk: Buffer, token: string, random: Random): Buffer {
  const lines = chunk.toString('latin1').split('\r\n')
  const starts = lines.flatMap((line, i) => (/^[-+:$*]/.test(line) ? [i] : []))
  const start = starts.length === 0 ? 0 : random.pick(starts)
  // A bulk string has a second line.
  const count = /^\$\d/.test(lines[start] ?? '') && random.below(4) > 0 ? 2 : 1
  lines.splice(start, count, ...token.split('\r\n'))
  return Buffer.from(lines.join('\r\n'), 'latin1')
}

function reshapedPackets(chunk: Buffer, token: string, random: Random): Buffer {
  const packets: Buffer[] = []
  for (let at = 0; at + 4 <= chunk.length; ) {
    const end = at + 4 + chunk.readUIntLE(at, 3)
    packets.push(chunk.subarray(at, end))
    at = end
  }
  const place = random.below(packets.length || 1)
  const body = Buffer.from(token, 'hex')
  const header = Buffer.from([body.length, 0, 0, packets[place]?.[3] ?? 0])
  packets.splice(place, random.below(3) === 0 ? packets.length : 1, Buffer.concat([header, body]))
  return Buffer.concat(packets)
}

function reshapedJson(chunk: Buffer, token: string, random: Random): Buffer {
  const text = chunk.toString('latin1')
  const start = text.indexOf('\r\n\r\n') + 4
  if (start < 4) return chunk
  const body = text.slice(start)
  // A value, wherever it is nested: whatever stands after a colon, or the whole.
  const colons = [...body.matchAll(/:/g)].map(({ index }) => index + 1)
  const at = colons.length === 0 || random.below(8) === 0 ? 0 : random.pick(colons)
  const value = /^(?:"(?:[^"\\]|\\.)*"|[[{][^\]}]*[\]}]+|[^,}\]]+)/.exec(body.slice(at))?.[0] ?? ''
  const changed = at === 0 ? token : body.slice(0, at) + token + body.slice(at + value.length)
  const headers = text
    .slice(0, start)
    .replace(/content-length: *\d+/i, `Content-Length: ${Buffer.byteLength(changed, 'latin1')}`)
    .replace(/x-amz-crc32: *\d+\r\n/i, '')
  return Buffer.from(headers + changed, 'latin1')
}
