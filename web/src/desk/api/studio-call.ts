import { type Reply } from '@juicebar/contract/calls'
import { CHALLENGE_HEADER, SIGNATURE_HEADER, type SignedCall } from '@juicebar/contract/endpoints/signed'
import { studioEndpoints } from '@juicebar/contract/endpoints/studio'

import { type AnyInput, callEndpoint, type CallInput, fillPath } from '../../api/client.ts'
import { requireConnection } from '../../wallet/require-connection.ts'
import { signMessage } from '../../wallet/signatures.ts'
import { withTimeout } from '../../wallet/wallet-error.ts'
import { WALLET_TIMEOUT_MS } from '../../wallet/wallet-store.ts'

type StudioEndpointName = keyof typeof studioEndpoints

/**
 * Makes one of the studio's calls as the signed-in person.
 *
 * @throws ApiError
 */
export function callStudio<Name extends StudioEndpointName>(name: Name, input: CallInput<Name> & AnyInput): Promise<Reply<Name>> {
  return callEndpoint(studioEndpoints[name], input)
}

/**
 * Makes one of the calls that need their own wallet signature: the wallet shows in words what it signs.
 *
 * @throws ApiError or WalletError
 */
export async function callSigned<Name extends SignedCall>(name: Name, input: CallInput<Name> & AnyInput): Promise<Reply<Name>> {
  const { wallet, account } = requireConnection()
  const { challenge } = await callStudio('requestChallenge', { body: describeCall(name, input) })
  const bytes = await withTimeout(signMessage(wallet, account, challenge.message), WALLET_TIMEOUT_MS)
  const { base58 } = await import('@scure/base')
  const headers = { ...input.headers, [CHALLENGE_HEADER]: challenge.id, [SIGNATURE_HEADER]: base58.encode(bytes) }
  return await callEndpoint(studioEndpoints[name], { ...input, headers })
}

/** The call as it will be made, byte for byte. */
function describeCall(name: SignedCall, input: AnyInput): { method: 'POST' | 'PUT' | 'DELETE'; path: string; body?: string } {
  const [method = '', template = ''] = studioEndpoints[name].split(' ')
  if (method !== 'POST' && method !== 'PUT' && method !== 'DELETE') throw new Error(`${name} cannot be signed`)
  const path = fillPath(template, input)
  return input.body === undefined ? { method, path } : { method, path, body: JSON.stringify(input.body) }
}
