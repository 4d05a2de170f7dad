/** For screen readers only: reads out its text when it changes. */
export function Announcer({ text }: { readonly text: string }) {
  return (
    <span className="visually-hidden" role="status" aria-live="polite">
      {text}
    </span>
  )
}
