import { expect, it } from 'vitest'
import { memoryServer } from '../../../electron/core/stores/memory/servers.ts'
import { createLockManager } from '../../../electron/hosts/library/index.ts'
import { lockMetrics } from '../../../electron/hosts/library/metrics.ts'

it('counts every attempt, every held lock and its times for Prometheus', async () => {
  const { observer, register } = lockMetrics()
  const manager = createLockManager('memory:measured', { observer })
  const first = await manager.acquire('acme:billing:daily')
  await manager.acquire('acme:billing:daily')
  const other = await manager.acquire('alone')
  if (other.acquired) await other.lock.release()
  memoryServer('measured').up = false
  await expect(manager.acquire('acme:down')).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' })
  memoryServer('measured').up = true

  const text = await register.metrics()
  const billing = 'tenant_id="acme",pipeline_id="billing:daily"'
  expect(text).toContain(`pipeline_lock_acquisitions_total{${billing},result="success"} 1`)
  expect(text).toContain(`pipeline_lock_acquisitions_total{${billing},result="conflict"} 1`)
  expect(text).toContain(
    'pipeline_lock_acquisitions_total{tenant_id="acme",pipeline_id="down",result="error"} 1',
  )
  expect(text).toContain(`pipeline_active_locks{${billing}} 1`)
  expect(text).toContain('pipeline_active_locks{tenant_id="",pipeline_id="alone"} 0')
  expect(text).toContain('pipeline_lock_duration_seconds_count{tenant_id="",pipeline_id="alone"} 1')
  expect(text).toContain(`pipeline_lock_wait_time_seconds_count{${billing}} 2`)

  if (first.acquired) await first.lock.release()
  expect(await register.metrics()).toContain(`pipeline_active_locks{${billing}} 0`)
})

it('never decrements the gauge for a lock that another process acquired', async () => {
  const { observer, register } = lockMetrics()
  const elsewhere = createLockManager('memory:measured-2')
  await elsewhere.acquire('acme:x', { owner: 'run-1' })
  const manager = createLockManager('memory:measured-2', { observer })
  expect(await manager.release('acme:x', 'run-1')).toEqual({ outcome: 'released' })
  expect(await register.metrics()).not.toContain('pipeline_active_locks{')
})
