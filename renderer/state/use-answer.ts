import { useEffect, useState } from 'react'

type Timing = {
  /** How long a question rests before it is asked, because the next one may replace it; the first may rest otherwise. */
  readonly afterMs?: number
  readonly firstAfterMs?: number
  /** Asks again this long after each answer, while the page is visible. */
  readonly againMs?: number
}

/**
 * Asks a question of plain data, and again whenever it changes. Returns the latest answer, which may be to an earlier question.
 * Null instead of an answer keeps the one before.
 */
export function useAnswer<Q, A>(
  question: Q | null,
  ask: (question: Q) => Promise<A | null>,
  { afterMs = 0, firstAfterMs = afterMs, againMs }: Timing = {},
): { readonly of: Q; readonly answer: A } | null {
  const [latest, setLatest] = useState<{ readonly of: Q; readonly answer: A } | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another question is a reason to ask
  useEffect(() => {
    if (question === null) return
    let isWanted = true
    const look = async () => {
      const answer = await ask(question)
      if (!isWanted) return
      if (answer !== null) setLatest({ of: question, answer })
      if (againMs !== undefined) timer = setTimeout(lookWhenVisible, againMs)
    }
    const lookWhenVisible = () => {
      if (document.hidden) document.addEventListener('visibilitychange', lookWhenVisible, { once: true })
      else void look()
    }
    let timer = setTimeout(lookWhenVisible, latest ? afterMs : firstAfterMs)
    return () => {
      isWanted = false
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', lookWhenVisible)
    }
  }, [JSON.stringify(question)])
  return latest
}
