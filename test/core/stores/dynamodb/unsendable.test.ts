import { expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../../../electron/core/stores/kinds/kinds.ts'

it('credentials that cannot be sent are bad input, not an answer of the server', async () => {
  const bad = await openStore(
    'dynamodb://key%0A:secret@us-east-1/locks?endpoint=http://127.0.0.1:9',
    undefined,
  )
  onTestFinished(() => bad.close())
  await expect(bad.clock(new AbortController().signal)).rejects.toMatchObject({ code: 'BAD_INPUT' })
})
