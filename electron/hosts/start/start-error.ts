/** A start that cannot be made as asked. The message quotes nothing that may be a secret. */
export class StartError extends Error {}
