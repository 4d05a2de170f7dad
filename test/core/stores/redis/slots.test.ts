import { expect, it } from 'vitest'
import { SLOTS, slotsFrom } from '../../../../electron/core/stores/redis/slots.ts'

const NODE = ['127.0.0.1', 6379]
const codeOf = (reply: unknown) => {
  try {
    slotsFrom(reply)
    return 'read'
  } catch {
    return 'refused'
  }
}

it('reads the slots of a cluster, of one slot a range too', () => {
  expect(codeOf([[0, SLOTS - 1, NODE, NODE]])).toBe('read')
  expect(codeOf(Array.from({ length: SLOTS }, (_, i) => [i, i, NODE]))).toBe('read')
})

it('refuses more nodes, ranges or slots than a cluster has, whose names ioredis would join for minutes', () => {
  expect(codeOf([[0, 0, ...Array.from({ length: 101 }, () => NODE)]])).toBe('refused')
  expect(codeOf(Array.from({ length: SLOTS + 1 }, () => [0, 0, NODE]))).toBe('refused')
  expect(codeOf([0, 1].map(() => [0, SLOTS - 1, NODE]))).toBe('refused')
})
