import type { RedisFormat } from './format.ts'
import { flaskCache } from './formats/flask-cache.ts'
import { pipelineRun } from './formats/pipeline-run.ts'
import { pubsubToken } from './formats/pubsub-token.ts'
import { pythonRedisLock } from './formats/python-redis-lock.ts'
import { rechargeJson } from './formats/recharge-json.ts'
import { redisson } from './formats/redisson.ts'
import { token } from './formats/token.ts'

/** Every Redis format. A record goes to the one that is surest of it; ties go to the earlier one. */
export const REDIS_FORMATS: readonly RedisFormat[] = [
  rechargeJson,
  pipelineRun,
  redisson,
  pythonRedisLock,
  pubsubToken,
  flaskCache,
  token,
]
