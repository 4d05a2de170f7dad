import { useEffect, useState } from 'react'
import type { HoldChoices } from '../../../shared/holds.ts'
import type { Result } from '../../../shared/result.ts'
import { ask } from '../../state/console.ts'

/** After the last key that was typed. */
const REST_MS = 250
/** What is there is looked at again so often: a holder may come or go while the dialog is open. */
const AGAIN_MS = 2000

/** What is under a key now, and in which formats it could be taken. Null until it is known. */
export function useChoices(storeId: string, key: string): Result<HoldChoices> | null {
  const [known, setKnown] = useState<{ readonly of: string; readonly answer: Result<HoldChoices> } | null>(
    null,
  )
  const of = JSON.stringify([storeId, key])
  useEffect(() => {
    if (storeId === '' || key === '') return
    let timer: ReturnType<typeof setTimeout>
    let wanted = true
    const look = async () => {
      const answer = await ask('holds.choices', { storeId, key })
      if (!wanted) return
      setKnown({ of: JSON.stringify([storeId, key]), answer })
      timer = setTimeout(() => void look(), AGAIN_MS)
    }
    timer = setTimeout(() => void look(), REST_MS)
    return () => {
      wanted = false
      clearTimeout(timer)
    }
  }, [storeId, key])
  return known?.of === of ? known.answer : null
}
