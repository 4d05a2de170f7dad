import type { FormatInfo } from '../../../../shared/locks.ts'
import { DYNAMODB_FORMATS } from '../dynamodb/formats/index.ts'
import { MEMORY_FORMATS } from '../memory/formats/index.ts'
import { MYSQL_FORMATS } from '../mysql/formats/index.ts'
import { REDIS_FORMATS } from '../redis/formats/index.ts'

/** Every format that is understood. Formats are data: listing them loads no client. */
export const ALL_FORMATS: readonly FormatInfo[] = [
  REDIS_FORMATS,
  MYSQL_FORMATS,
  DYNAMODB_FORMATS,
  MEMORY_FORMATS,
].flatMap(formats => formats.map(format => format.info))
