import panelStyles from './Panel.module.css'

/** Text for other tools. It scrolls, so it must be focusable. */
export function Statements({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keys
    <pre className={`${panelStyles.statements} mono`} tabIndex={0} role="group" aria-label={label}>
      {text}
    </pre>
  )
}
