// Usage: node dynalite.mjs PORT FOLDER
import { createServer } from 'node:http'
import dynalite from 'dynalite'

const [port, path] = process.argv.slice(2)
const emulator = dynalite({ path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 })

// GET /pid tells whoever started us that it is us who answer on this port.
createServer((request, response) => {
  if (request.url === '/pid') response.end(String(process.pid))
  else emulator.emit('request', request, response)
}).listen(Number(port), '127.0.0.1')
