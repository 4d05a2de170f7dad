import { badInput } from '../lib/errors.ts'

/** The key of one pipeline of one tenant. */
export function pipelineKey(tenant: string, pipeline: string): string {
  if (tenant === '' || pipeline === '') throw badInput('A pipeline lock needs a tenant and a pipeline')
  // The key is split at its first colon.
  if (tenant.includes(':')) throw badInput('The name of a tenant must not have a colon in it')
  return `${tenant}:${pipeline}`
}
