import type { FormatInfo } from '../../shared/lock.ts'
import { DYNAMODB_FORMATS } from './stores/dynamodb/formats.ts'
import { MEMORY_FORMATS } from './stores/memory/formats.ts'
import { MYSQL_FORMATS } from './stores/mysql/formats.ts'
import { REDIS_FORMATS } from './stores/redis/formats.ts'

/** Every format that is understood. Formats are data: listing them loads no client. */
export const ALL_FORMATS: readonly FormatInfo[] = [
  REDIS_FORMATS,
  MYSQL_FORMATS,
  DYNAMODB_FORMATS,
  MEMORY_FORMATS,
].flatMap(formats => formats.map(format => format.info))
