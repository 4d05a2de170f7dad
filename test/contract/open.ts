import { fileURLToPath } from 'node:url'
import { openStore } from '../../electron/core/stores/kinds/kinds.ts'
import { RoomStore } from '../../electron/core/stores/room/room-store.ts'
import type { LockStore } from '../../electron/core/stores/types.ts'
import { type StoreAddress, showAddress } from '../../shared/address.ts'

/** How a harness opens its stores. */
export type Open = (address: StoreAddress) => Promise<LockStore>

export const openHere: Open = address => openStore(showAddress(address), address.password ?? undefined)

/** From the build, because a worker thread runs no TypeScript. */
export const ROOM_FILE = fileURLToPath(new URL('../../dist/node/room.js', import.meta.url))

export const openInRoom: Open = async address =>
  new RoomStore(ROOM_FILE, { address: showAddress(address), password: address.password ?? undefined })
