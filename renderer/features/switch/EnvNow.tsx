import type { SwitchRun } from '../../../shared/switch.ts'
import { sentence, shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { useSwitchNow } from './step-props.ts'

/** What the file says at this moment, and what was done to it here. */
export function EnvNow({ run }: { readonly run: SwitchRun }) {
  const env = useSwitchNow(now => now.env)
  const is = useSwitchNow(now => now.checks.change?.is ?? null)
  const words = t.switch.change
  const last = run.envChanges.at(-1)
  if (!env && !last) return null
  return (
    <dl className="env-facts">
      {env && (
        <>
          <dt>{words.live}</dt>
          <dd data-check={is ?? undefined}>
            {env.problem !== null ? (
              `${words.liveProblem} ${sentence(env.problem)}`
            ) : env.value === null ? (
              words.liveNothing
            ) : (
              <code>LOCK_PROVIDER={shownText(env.value, 80)}</code>
            )}
          </dd>
        </>
      )}
      {last && (
        <>
          <dt>{words.done(last.at, shownText(last.by, 40))}</dt>
          <dd className="mono">{shownText(last.file, 400)}</dd>
          <dt>{words.copyAt}</dt>
          <dd className="mono">{shownText(last.copy, 400)}</dd>
        </>
      )}
    </dl>
  )
}
