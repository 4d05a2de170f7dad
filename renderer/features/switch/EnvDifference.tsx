import type { EnvPreview } from '../../../shared/switch.ts'
import { Button } from '../../ui/Button.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'

type Props = {
  readonly preview: EnvPreview
  /** A file is changed only while its step is due. */
  readonly isDue: boolean
  readonly working: boolean
  readonly onChange: () => void
}

export function EnvDifference({ preview, isDue, working, onChange }: Props) {
  const words = t.switch.change
  const { lines, copy, wanted } = preview
  if (lines.length === 0) return <p className="view-notice calm">{words.already(shownText(wanted, 60))}</p>
  return (
    <div className="env-difference">
      <table className="difference" aria-label={words.difference}>
        <tbody>
          {lines.flatMap(({ line, before, after }) => [
            ...(before === null
              ? []
              : [<DifferenceLine key={`${line}-`} sign="−" line={line} text={before} />]),
            <DifferenceLine key={`${line}+`} sign="+" line={line} text={after} />,
          ])}
        </tbody>
      </table>
      <p className="hint">{words.others}</p>
      <dl className="env-facts">
        <dt>{words.copy}</dt>
        <dd className="mono">{shownText(copy, 400)}</dd>
      </dl>
      <Button look="primary" disabled={working || !isDue} onClick={onChange}>
        {working ? words.applying : words.apply}
      </Button>
    </div>
  )
}

type LineProps = { readonly sign: '−' | '+'; readonly line: number; readonly text: string }

function DifferenceLine({ sign, line, text }: LineProps) {
  return (
    <tr data-sign={sign === '+' ? 'added' : 'removed'}>
      <td className="difference-number" title={t.switch.change.line(line)}>
        {line}
      </td>
      <td className="difference-sign">{sign}</td>
      <td className="difference-text">{shownText(text, 400)}</td>
    </tr>
  )
}
