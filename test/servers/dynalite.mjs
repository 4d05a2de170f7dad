// Usage: node dynalite.mjs PORT FOLDER
import dynalite from 'dynalite'

const [port, path] = process.argv.slice(2)
dynalite({ path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 }).listen(Number(port), '127.0.0.1')
