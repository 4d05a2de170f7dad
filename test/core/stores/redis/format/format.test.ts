import { describe, expect, it } from 'vitest'
import { isDistinctive } from '../../../../../electron/core/stores/redis/format/format.ts'

describe('a value that identifies an acquisition', () => {
  it.each([
    ['a UUID', '0f8fad5b-d9cb-469f-a165-70867728950e'],
    ['16 bytes in hex', '7fcd75c2e17311f1a98102fc00000001'],
    ['base64 of 18 bytes', 'XqeTtBHrgBu6HTkVw+gOEKws'],
    ['base64 of 16 bytes', 'q83vEjRWeJCrze8SNFZ4kA=='],
    ['16 random letters', 'aB3dE6gH9jK2mN5p'],
    ['a name with the moment of its acquisition', 'GPS_PROCESS_1703123456789'],
    ['the same in seconds', 'run-1701234567'],
  ])('%s', (_, token) => expect(isDistinctive(token)).toBe(true))
})

describe('a value that acquisitions may share', () => {
  it.each([
    ['a word', 'locked'],
    ['a host', 'prod-worker-01.eu-west-1.example.com'],
    ['an instance', 'i-0abc123def4567890'],
    ['a pod', 'worker-7d9f8b6c5d-x2x9k'],
    ['an account number', '123456789012'],
    ['a process', '4312'],
    ['a sentence with a UUID in it', 'host 0f8fad5b-d9cb-469f-a165-70867728950e again'],
    ['nothing', ''],
  ])('%s', (_, token) => expect(isDistinctive(token)).toBe(false))
})
