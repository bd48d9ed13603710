import { randomUUID } from 'node:crypto'

import { type Body, type Reply } from '@juicebar/contract/calls'
import { type SignedCall, signedCalls } from '@juicebar/contract/endpoints/signed'
import { Failure } from '@juicebar/contract/errors'
import { CHALLENGE_SECONDS } from '@juicebar/contract/limits'
import { schemas } from '@juicebar/contract/schemas'
import { type CallSchema } from '@juicebar/contract/schemas/call'

import { type Database } from '../../database/connect.ts'
import { type StudioKey } from '../../http/api/studio-key-check.ts'
import { createItemCheck } from '../../http/api/validation.ts'
import { challengeMessage, findSignedCall, hashBody, type SignedAction } from './challenge.ts'
import { insertChallenge } from './challenge-store.ts'

/**
 * The text that a wallet of the staff signs for one call.
 * @param market the product's name and its host, from the settings
 * @throws SIGNATURE_NOT_NEEDED; the call's own failures for its body; TOO_MANY_REQUESTS
 */
export async function requestChallenge(
  database: Database,
  market: string,
  { key, asked }: { key: StudioKey; asked: Body<'requestChallenge'> },
): Promise<Reply<'requestChallenge'>['challenge']> {
  if (key.kind !== 'staff') throw new Failure('SIGNATURE_NOT_NEEDED', { detail: 'a studio key acts by itself.' })
  const { method, path, body: text = '' } = asked
  const found = findSignedCall({ method, path })
  if (!found) throw new Failure('SIGNATURE_NOT_NEEDED', { detail: 'it is not one of the calls that do.' })
  const action = { ...found, body: readBody(found.name, text), call: `${method} ${path}`, bodyHash: hashBody(text) }

  const id = randomUUID()
  const message = challengeMessage(market, id, action)
  const { call, bodyHash } = action
  const issued = await insertChallenge(database, { id, message, walletAddress: key.wallet, call, bodyHash })
  if (!issued) throw new Failure('TOO_MANY_REQUESTS', { detail: `${CHALLENGE_SECONDS} seconds`, retryAfter: CHALLENGE_SECONDS })
  return { id, message, expiresAt: issued.expiresAt.toISOString(), millisLeft: issued.millisLeft }
}

const bodyChecks = new Map(
  signedCalls.map((name): [SignedCall, ReturnType<typeof createItemCheck> | undefined] => {
    const { body }: CallSchema = schemas[name]
    return [name, body && createItemCheck(body)]
  }),
)

/** The body as the call would read it, so that the text describes what will be done. */
function readBody(name: SignedCall, text: string): SignedAction['body'] {
  const body = parseJson(text)
  const read: unknown = bodyChecks.get(name)?.(body)
  // A call without a body.
  return typeof read === 'object' && read !== null ? (read as SignedAction['body']) : {}
}

function parseJson(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Failure('BAD_REQUEST', { detail: 'body must be the JSON that the call sends.', cause })
  }
}
