import Type from 'typebox'

import { CHALLENGE_SECONDS, MAX_ORDERS_BYTES, MAX_STAFF, MAX_STAFF_NAME } from '../../limits.ts'
import { staffScopes } from '../../scopes.ts'
import { type CallSchema } from '../call.ts'
import { Address, closed, Id, logReason, logReasonQuery, Nullable, RequiredText, Timestamp, walletAddress } from '../fields.ts'
import { requiredScopes, ScopeSchema } from './keys.ts'

const MAX_PATH = 512

export const StaffSchema = Type.Object(
  {
    wallet: Address('The wallet that signs in'),
    name: Nullable(Type.String({ description: 'Whose it is' })),
    scopes: Type.Array(ScopeSchema),
    source: Type.Enum(['setting', 'call'], {
      title: 'StaffSource',
      description: 'Whether `STUDIO_WALLETS` names it, or a call has added it. What a call says of a wallet comes before the setting',
    }),
    addedAt: Nullable(Timestamp('When a call last set it; null if only the setting names it')),
    addedBy: Nullable(Type.String({ description: 'Whose key or wallet that was' })),
  },
  { title: 'Staff', description: 'Somebody who may use the studio’s desk' },
)

const staffParams = Type.Object({ wallet: walletAddress })

const ChallengeSchema = Type.Object(
  {
    id: Id('The challenge, for the header `Studio-Challenge`'),
    message: Type.String({ description: 'What the wallet signs, byte for byte: it says in words what will be done' }),
    expiresAt: Timestamp('Until when the signature is accepted'),
    millisLeft: Type.Integer({ description: 'The milliseconds until then' }),
  },
  { title: 'Challenge' },
)

export const staffCalls = {
  studioMe: {
    summary: 'Read who is calling the studio API, and what they may do',
    response: {
      200: Type.Object({
        me: Type.Object(
          {
            wallet: Nullable(Address('The wallet of the staff; null if it is a key')),
            name: Nullable(Type.String({ description: 'The name of the key, or whose wallet it is; null if nobody has said' })),
            scopes: Type.Array(ScopeSchema),
          },
          { title: 'StudioMe' },
        ),
      }),
    },
    failures: [],
  },
  studioStaff: {
    summary: 'List the staff',
    description: `All of them, by their wallets, since there are never many: those of \`STUDIO_WALLETS\`, and up to ${MAX_STAFF} that calls have added.`,
    response: { 200: Type.Object({ staff: Type.Array(StaffSchema) }) },
    failures: [],
  },
  readStaff: {
    summary: 'Read whether a wallet is on the staff, and what it may do',
    params: staffParams,
    response: { 200: Type.Object({ staff: Nullable(StaffSchema) }) },
    failures: ['WALLET_ADDRESS_INVALID'],
  },
  setStaff: {
    summary: 'Add a wallet to the staff, or change its permissions',
    description:
      'Replaces its scopes and its name. Nobody can grant scopes that they do not have. A key with a daily limit or an expiry grants neither what is limited nor what lasts, and no key grants `admin`, with which any key can be revoked.',
    params: staffParams,
    body: Type.Optional(
      Type.Union([
        Type.Null(),
        Type.Object(
          {
            scopes: Type.Optional({ ...requiredScopes, description: `What it may do; ${staffScopes.join(', ')} if it is left out` }),
            name: Type.Optional(
              RequiredText(`a name of at most ${MAX_STAFF_NAME} characters`, MAX_STAFF_NAME, { description: 'Whose it is' }),
            ),
            reason: logReason,
          },
          { ...closed, title: 'StaffRequest' },
        ),
      ]),
    ),
    response: { 200: Type.Object({ staff: StaffSchema }) },
    failures: ['WALLET_ADDRESS_INVALID', 'WALLET_CANNOT_SIGN', 'STAFF_TOO_POWERFUL', 'TOO_MANY_STAFF'],
  },
  removeStaff: {
    summary: 'Remove a wallet from the staff',
    description:
      'From then on no server lets it use the desk, even if `STUDIO_WALLETS` names it, until a call puts it on the staff again. Keys that it made stay. Doing it again changes nothing.',
    params: staffParams,
    querystring: logReasonQuery,
    response: { 200: Type.Object({ staff: Type.Null() }) },
    failures: ['WALLET_ADDRESS_INVALID', 'STAFF_NOT_FOUND'],
  },
  requestChallenge: {
    summary: 'Request the text that a wallet of the staff signs for one call',
    description: `Credits, debits, orders, keys, staff, releases, new webhooks and their secrets, and the acceptance of a recovery need a signature of the wallet each time. Give the call exactly as it will be made; then make it with the headers \`Studio-Challenge\` and \`Studio-Signature\`. A challenge is valid for ${CHALLENGE_SECONDS / 60} minutes, for one call, of this wallet, with these bytes. Keys need none.`,
    body: Type.Object(
      {
        method: Type.Enum(['POST', 'PUT', 'DELETE'], { title: 'SignedMethod', description: 'Its method' }),
        path: RequiredText('the path of the call', MAX_PATH, { description: 'Its path from `/api/` on, with its query' }),
        body: Type.Optional(Type.String({ description: 'Its body, byte for byte; left out if it has none', maxLength: MAX_ORDERS_BYTES })),
      },
      { ...closed, title: 'ChallengeRequest' },
    ),
    maxBodyBytes: 2 * MAX_ORDERS_BYTES,
    response: { 201: Type.Object({ challenge: ChallengeSchema }) },
    failures: ['SIGNATURE_NOT_NEEDED'],
    notRepeatable: true,
  },
} as const satisfies Record<string, CallSchema>
