import type { Holder, Note } from '../../../../../shared/locks.ts'
import { excerpt } from '../../../lib/bytes.ts'
import { leaseFrom } from '../../lock-from.ts'
import { OTHER, type Recognition } from '../../types.ts'
import { attribute, type Item, typeName } from '../format/attribute.ts'
import { type DynamoFormat, type DynamoRaw, type Guard, seenIn, wholeItem } from '../format/record.ts'

const KEY = 'LockID'
const FIELDS = ['ID', 'Operation', 'Info', 'Who', 'Version', 'Created', 'Path'] as const

/** The lock of Terraform's and OpenTofu's S3 backend. It never ends by itself. */
export const terraform: DynamoFormat = {
  info: {
    id: 'terraform',
    store: 'dynamodb',
    title: 'Terraform state',
    writtenBy: 'the S3 backend of Terraform and OpenTofu',
    recognisedBy: 'partition key LockID, with Info as JSON; the -md5 items beside it are digests, not locks',
    ownerIs: 'token',
    release:
      'Deletes the item if Info is still the same, as `terraform force-unlock ID` does without comparing. The -md5 item ' +
      'stays. With use_lockfile, the .tflock file in S3 is a second lock and has to be removed as well.',
    notifies: null,
    holderNotices: 'at-release',
    holderMayCrash: false,
    mayComeBack: false,
    noUndo: null,
  },

  recognise({ keySchema, item }): Recognition {
    const { partition, sort } = keySchema
    if (partition.name !== KEY || partition.type !== 'S' || sort !== null) return OTHER
    const info = attribute(item, 'Info')
    if (info === null) {
      const digest = lockId(item).endsWith('-md5') && attribute(item, 'Digest') !== null
      return digest ? { is: 'companion' } : { is: 'other', reason: 'it has no Info' }
    }
    if (info.S === undefined)
      return { is: 'other', reason: `its Info is ${typeName(info)} where a string is expected` }
    const parsed = parseInfo(info.S)
    return typeof parsed === 'string' ? { is: 'other', reason: parsed } : { is: 'lock', confidence: 0.99 }
  },

  decode(raw, now) {
    const { item } = raw
    const info = infoOf(item)
    const notes: Note[] = []
    const owner = textIn(info, 'ID')
    if (owner === null) notes.push({ code: 'missing-field', field: 'Info.ID' })
    const acquiredAt = createdAt(info, notes)
    return {
      name: lockId(item),
      owner,
      holder: holderFrom(textIn(info, 'Who')),
      acquiredAt,
      acquiredAtSource: acquiredAt === null ? 'unknown' : 'stored',
      ...leaseFrom({}, now),
      notes,
      fields: Object.fromEntries(
        FIELDS.flatMap(name => {
          const text = textIn(info, name)
          return text === null ? [] : [[name, text]]
        }),
      ),
      seen: { exact: seenIn(guardsOf(raw)) },
    }
  },

  release: raw => ({ guards: guardsOf(raw) }),
}

/** Info has an ID that is new with every acquisition. Without one, nothing but the whole item tells holders apart. */
function guardsOf(raw: DynamoRaw): Guard[] {
  if (textIn(infoOf(raw.item), 'ID') === null) return wholeItem(raw, ['Info'])
  return [{ attribute: 'Info', seen: attribute(raw.item, 'Info') }]
}

function infoOf(item: Item): Record<string, unknown> {
  const parsed = parseInfo(attribute(item, 'Info')?.S ?? '')
  return typeof parsed === 'string' ? {} : parsed
}

function lockId(item: Item): string {
  return attribute(item, KEY)?.S ?? ''
}

/** What is in Info, or why it cannot be read. */
function parseInfo(text: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : `its Info is not an object: ${excerpt(text)}`
  } catch {
    return `its Info is not JSON: ${excerpt(text)}`
  }
}

function textIn(info: Record<string, unknown>, name: string): string | null {
  const value = Object.hasOwn(info, name) ? info[name] : null
  return typeof value === 'string' && value !== '' ? value : null
}

/** `user@host`; a user name may itself have an @. */
function holderFrom(who: string | null): Holder | null {
  if (who === null) return null
  const at = who.lastIndexOf('@')
  return at <= 0 || at === who.length - 1
    ? { label: who }
    : { label: who, user: who.slice(0, at), host: who.slice(at + 1) }
}

/** RFC 3339 with up to nine decimals, as Go writes it. */
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

function createdAt(info: Record<string, unknown>, notes: Note[]): number | null {
  const text = textIn(info, 'Created')
  if (text === null) {
    notes.push({ code: 'missing-field', field: 'Info.Created' })
    return null
  }
  const time = RFC3339.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return time
  notes.push({ code: 'wrong-type', field: 'Info.Created', found: excerpt(text), wanted: 'an RFC 3339 time' })
  return null
}
