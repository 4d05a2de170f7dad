import type { RedisFormat } from '../format/format.ts'
import { flaskCache } from './flask-cache.ts'
import { pipelineRun } from './pipeline-run.ts'
import { pubsubToken } from './pubsub-token.ts'
import { pythonRedisLock } from './python-redis-lock.ts'
import { rechargeJson } from './recharge-json.ts'
import { redisson } from './redisson.ts'
import { token } from './token.ts'

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
