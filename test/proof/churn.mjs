import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'

/**
 * Other programs that use the locks of a plan while it is applied, as their own libraries do and with none of our code:
 * holders that let go or renew, and newcomers that take free locks. Its books are exact, and it sends them at the end.
 * A lock that it took and no longer finds is a wrong: that lock was not in the plan.
 */
const { client, locksFile, mine, of, workers, keep, atLeast } = JSON.parse(process.argv[2])
const { connect } = await import(client.module)
const store = await connect(client)
/** @type {{ key: string, token: string, role: 'stays' | 'lets-go' | 'renews' }[]} */
const locks = JSON.parse(readFileSync(locksFile, 'utf8'))

const books = {
  /** Places of planned locks whose holder deleted its own lock, or found that it was not its own any more. */
  letGo: [],
  lost: [],
  /** The same for holders that renew. */
  renewed: [],
  notRenewed: [],
  /** Newcomers: how many took a lock, and which of them have it still. */
  taken: 0,
  kept: [],
  wrongs: [],
  operations: 0,
}
const duties = locks
  .map(({ role }, place) => ({ role, place }))
  .filter(({ role, place }) => role !== 'stays' && place % of === mine)
  .sort(() => Math.random() - 0.5)
let stopping = false

async function doDuty({ role, place }) {
  const { key, token } = locks[place]
  books.operations++
  if (role === 'lets-go') (await store.letGo(key, token)) ? books.letGo.push(place) : books.lost.push(place)
  else (await store.renew(key, token)) ? books.renewed.push(place) : books.notRenewed.push(place)
}

async function come() {
  const { key } = locks[Math.floor(Math.random() * locks.length)]
  const token = randomUUID()
  books.operations++
  if (!(await store.take(key, token))) return
  books.taken++
  await mustHave(key, token, 'just taken')
  if (books.kept.length < keep && Math.random() < 0.5) {
    books.kept.push({ key, token })
    return
  }
  if (Math.random() < 0.5 && !(await store.renew(key, token)))
    books.wrongs.push(`${key}: ${token} could not be renewed`)
  await mustHave(key, token, 'held for a while')
  if (!(await store.letGo(key, token))) books.wrongs.push(`${key}: ${token} was not there to let go of`)
}

async function mustHave(key, token, when) {
  const now = await store.ownerOf(key)
  if (now !== token) books.wrongs.push(`${key}: ${when} by ${token}, but it is ${now}`)
}

async function work() {
  while (!stopping) {
    const duty = Math.random() < 0.4 ? duties.pop() : undefined
    await (duty ? doDuty(duty) : come())
  }
}

async function until(isDone) {
  while (!isDone()) await new Promise(resolve => setTimeout(resolve, 5))
}

let working
process.on('message', async message => {
  if (message === 'go') {
    working = Promise.all(Array.from({ length: workers }, work))
    // However slow this machine is, holders change planned locks before the plan is applied.
    await until(() => books.letGo.length > atLeast && books.renewed.length > atLeast)
    process.send('going')
    return
  }
  // Nor does the test end before newcomers have had the freed locks, and holders have missed theirs.
  const hasMissed = () => books.lost.length + books.notRenewed.length > 0
  await until(() => books.taken > atLeast && (hasMissed() || duties.length === 0))
  stopping = true
  await working
  for (const { key, token } of books.kept) await mustHave(key, token, 'kept to the end')
  process.send(books, () => process.disconnect())
  await store.close()
})
// A test that died must not leave it behind.
process.on('disconnect', () => process.exit())
process.send('ready')
