/** What a lock is owned by while an operator holds it: anybody who reads the record can see what it is, and whose. */
const PREFIX = 'lockkeeper:'
const OWNER = /^lockkeeper:([\w.-]{1,48})@([\w.-]{1,80}):[0-9a-f]{6,32}$/

/** `secret` tells one hold of the same person from the next. */
export function holdOwner(user: string, host: string, secret: string): string {
  return `${PREFIX}${plain(user, 48)}@${plain(host, 80)}:${secret}`
}

/** `user@host` of the console that holds it; null for what is no maintenance hold. */
export function holdsForMaintenance(owner: string | null): string | null {
  const found = owner === null ? null : OWNER.exec(owner)
  return found ? `${found[1]}@${found[2]}` : null
}

/** Only what every format, shell and table can carry. */
function plain(text: string, most: number): string {
  return text.replace(/[^\w.-]+/g, '-').slice(0, most) || 'unknown'
}
