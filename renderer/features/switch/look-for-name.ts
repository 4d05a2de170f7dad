import { setFilter, setScope } from '../../state/table.ts'
import { atLocks } from '../../state/view.ts'

/** Shows every lock of this name, in whichever store it is. */
export function lookForName(name: string): void {
  atLocks(() => {
    setScope(null)
    // A quotation mark would end the quotation; the part before it finds the name as well.
    setFilter(`key:"${name.split('"')[0] ?? ''}"`)
  })
}
