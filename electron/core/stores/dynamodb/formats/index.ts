import type { DynamoFormat } from '../format/record.ts'
import { conditionalPut } from './conditional-put.ts'
import { terraform } from './terraform.ts'

export const DYNAMODB_FORMATS: readonly DynamoFormat[] = [conditionalPut, terraform]
