import { type Signature } from '@juicebar/contract/addresses'
import { type Chain, type SignatureStatus } from '../../chain/chain.ts'
import { mayWait } from './wait-for-endpoints.ts'

/**
 * How long something waits for a second endpoint, if there are several and not all of them answer. After that, one is enough: a case would
 * never close, and a history never go on.
 */
export const ALONE_SECONDS = 15 * 60

/**
 * What two endpoints of several say of a payment, or one if not all of them have answered for long.
 * @throws CHAIN_DOWN
 */
export async function readFinality(chain: Chain, signature: Signature): Promise<SignatureStatus | undefined> {
  const agreed = (await chain.finality([signature])).get(signature)
  if (agreed?.commitment !== 'confirmed' || chain.isWhole() || mayWait(chain, `${signature} final`, ALONE_SECONDS)) return agreed
  return (await chain.statuses([signature])).get(signature)
}
