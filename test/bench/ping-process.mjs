// Another client of a server: pings it without a pause, and tells how long that took since it was asked last.
import { connect } from 'node:net'

const socket = connect(Number(process.argv[2]), '127.0.0.1')
socket.setNoDelay(true)
let times = []
let sentAt = 0
const ping = () => {
  sentAt = performance.now()
  socket.write('*1\r\n$4\r\nPING\r\n')
}
socket.on('data', () => {
  times.push(performance.now() - sentAt)
  setTimeout(ping, 1)
})
socket.once('connect', ping)
process.on('message', () => {
  const sorted = times.toSorted((a, b) => a - b)
  times = []
  const at = part => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0
  process.send({ p50: at(0.5), p99: at(0.99), max: at(1), count: sorted.length })
})
process.once('disconnect', () => process.exit())
