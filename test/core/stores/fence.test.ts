import { expect, it } from 'vitest'
import { makeFence } from '../../../electron/core/stores/fence.ts'

it('gives every list of parts a fence of its own, whatever they contain', () => {
  const lists = [
    [],
    [null],
    [null, null],
    [''],
    ['', ''],
    ['a', 'b'],
    ['ab'],
    ['as1:b'],
    ['1'],
    [1],
    [true],
    ['true'],
    [Buffer.from('1')],
    [Buffer.from('é')],
    ['é'],
    [Buffer.from('é').toString('latin1')],
    ['\ud800'],
    ['\ud801'],
    ['\ufffd'],
    [1, 2],
    [12],
  ]
  expect(new Set(lists.map(exact => makeFence('format', 'id', { exact }))).size).toBe(lists.length)
  expect(makeFence('a', 'bc', { exact: [] })).not.toBe(makeFence('ab', 'c', { exact: [] }))
})
