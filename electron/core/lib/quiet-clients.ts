/** Client libraries write to the operator's terminal: ioredis about unneeded passwords, mysql2 the stack of a packet it cannot read. */
export function quietClients(): void {
  console.warn = () => {}
  console.trace = () => {}
}
