import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAddress } from '../../shared/address.ts'
import type { FilesAddress } from '../fixtures/files/address.ts'
import { FilesStore } from '../fixtures/files/store.ts'
import '../fixtures/files/register.ts'
import type { HarnessFactory } from './harness.ts'

export const filesHarness: HarnessFactory = {
  kind: 'files',
  async open() {
    const folder = newFolder()
    const path = (name: string) => join(folder, name)
    const read = (name: string) => {
      try {
        return JSON.parse(readFileSync(path(name), 'utf8')) as { owner: string; endsAt: number }
      } catch {
        return null
      }
    }
    const hold = (name: string, owner: string, leaseMs = 60_000) =>
      writeFileSync(path(name), text(owner, leaseMs))
    return {
      store: new FilesStore(addressOf(folder)),
      readOnly: new FilesStore(addressOf(folder), true),
      keyOf: name => name,
      hold: async (name, owner, leaseMs) => hold(name, owner, leaseMs),
      acquire: async (name, owner, leaseMs) => {
        if ((read(name)?.endsAt ?? 0) > Date.now()) return false
        hold(name, owner, leaseMs)
        return true
      },
      holdMany: async (names, owner) => {
        for (const name of names) hold(name, owner)
      },
      drop: async name => rmSync(path(name), { force: true }),
      ownerOf: async name => read(name)?.owner ?? null,
      putUnrecognised: async () => {
        writeFileSync(path('notes'), 'buy milk')
        return 'notes'
      },
      remainingMs: async name => (read(name)?.endsAt ?? 0) - Date.now(),
      close: async () => rmSync(folder, { recursive: true, force: true }),
    }
  },
  async openOutage() {
    const folder = newFolder()
    writeFileSync(join(folder, 'survivor'), text('owner-1', 3_600_000))
    return {
      store: new FilesStore(addressOf(folder)),
      kill: async () => renameSync(folder, `${folder}-away`),
      revive: async () => renameSync(`${folder}-away`, folder),
      close: async () => rmSync(folder, { recursive: true, force: true }),
    }
  },
}

function addressOf(folder: string): FilesAddress {
  return parseAddress(`files:${folder}`) as FilesAddress
}

export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'lockkeeper-files-'))
}

function text(owner: string, leaseMs: number): string {
  const takenAt = Date.now()
  return JSON.stringify({ owner, takenAt, endsAt: takenAt + leaseMs })
}
