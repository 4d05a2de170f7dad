import styles from './NumberTable.module.css'

type TableProps = {
  readonly caption: string
  readonly head: readonly string[]
  readonly rows: readonly { readonly id: string; readonly cells: readonly string[]; readonly note?: string }[]
}

/** A long table scrolls, also with the keys. */
export function NumberTable({ caption, head, rows }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keys
    <div className={styles.box} tabIndex={0} role="group" aria-label={caption}>
      <table className={styles.numbers}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {head.map((name, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a column has its place and nothing else
              <th key={i} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, cells: [first, ...cells], note }) => (
            <tr key={id}>
              <th scope="row">{first}</th>
              {cells.map((cell, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column has its place and nothing else
                <td key={i}>{cell}</td>
              ))}
              {note !== undefined && (
                <td className={styles.note} colSpan={head.length - 1 - cells.length}>
                  {note}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
