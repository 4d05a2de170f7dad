import { conditionalPut } from './formats/conditional-put.ts'
import { terraform } from './formats/terraform.ts'
import type { DynamoFormat } from './record.ts'

export const DYNAMODB_FORMATS: readonly DynamoFormat[] = [conditionalPut, terraform]
