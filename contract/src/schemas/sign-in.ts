import Type from 'typebox'

import { NONCE_SECONDS, SESSION_SECONDS } from '../limits.ts'
import { type CallSchema } from './call.ts'
import { Address, closed, signature, Timestamp, walletAddress } from './fields.ts'
import { OwnBlock } from './restrictions.ts'

export const UserSchema = Type.Object(
  { walletAddress: Address('The player’s wallet'), createdAt: Timestamp('The first sign-in') },
  { title: 'User' },
)

const Nonce = Type.Object(
  {
    nonce: Type.String({ description: 'Already part of `message`' }),
    message: Type.String({ description: 'What the wallet signs, byte for byte: two lines, without a newline at the end' }),
    expiresAt: Timestamp('Until when the signature is accepted'),
    millisLeft: Type.Integer({ description: 'The milliseconds until then' }),
  },
  { title: 'Nonce' },
)

const SignedIn = Type.Object(
  { token: Type.String({ description: 'The session JWT: send it as `Authorization: Bearer <token>`' }), user: UserSchema },
  { title: 'SignedIn' },
)

export const signInCalls = {
  requestNonce: {
    summary: 'Request a nonce and the message to sign',
    description: `A nonce is valid for ${NONCE_SECONDS / 60} minutes and for one sign-in. Until then every request for the wallet returns the same one.`,
    body: Type.Object({ walletAddress }, { ...closed, title: 'NonceRequest' }),
    response: { 200: Nonce },
    failures: ['WALLET_ADDRESS_INVALID'],
  },
  verifySignature: {
    summary: 'Submit the signature and open a session',
    description: `A session lasts ${SESSION_SECONDS / 86_400} days, or until it is ended by \`POST /api/auth/logout\` or, with all others of the wallet, by \`DELETE /api/auth/sessions\`. A blocked wallet signs in only while it has a listing, an open purchase or an open case.`,
    body: Type.Object({ walletAddress, signature }, { ...closed, title: 'SignInRequest' }),
    response: { 200: SignedIn },
    failures: ['WALLET_ADDRESS_INVALID', 'SIGNATURE_INVALID', 'NONCE_INVALID', 'BLOCKED'],
  },
  me: {
    summary: 'Read who is signed in, and whether the studio has blocked the wallet',
    response: { 200: Type.Object({ user: UserSchema, block: Type.Optional(OwnBlock) }) },
    failures: [],
  },
  logout: {
    summary: 'End the session on every server',
    response: { 204: Type.Null() },
    failures: [],
  },
  logoutEverywhere: {
    summary: 'End all sessions of the wallet',
    description:
      'This one and all others, in whatever browser or program, on every server. Their event streams end, and their notifications.',
    response: { 204: Type.Null() },
    failures: [],
  },
} as const satisfies Record<string, CallSchema>
