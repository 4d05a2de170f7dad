import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import type { DynamoAddress } from './address.ts'

/**
 * Which credentials to use: those in the address; for an emulator on this computer, when nothing else is said, made-up
 * ones; otherwise (undefined) whatever the SDK finds in the environment, its configuration files or the instance it runs
 * on. An emulator wants a signature but does not check it, and asking the instance's metadata service for one would only
 * cost time.
 */
export function credentialsFor(
  address: DynamoAddress,
  environment: NodeJS.ProcessEnv = process.env,
): DynamoDBClientConfig['credentials'] {
  if (address.username !== null && address.password !== null)
    return { accessKeyId: address.username, secretAccessKey: address.password }
  const named = address.profile ?? environment['AWS_PROFILE'] ?? environment['AWS_ACCESS_KEY_ID']
  const local = address.endpoint !== null && isLoopback(new URL(address.endpoint).hostname)
  return local && !named ? { accessKeyId: 'local', secretAccessKey: 'local' } : undefined
}

function isLoopback(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(host)
  )
}
