import Type from 'typebox'

import { type CallSchema } from '../call.ts'
import { Id, idParams, Timestamp } from '../fields.ts'

/**
 * open: nobody holds through it. held: a wallet holds, and no payment has been seen yet; one that the wallet sent itself shows within half
 * a minute. paid: its payment is on the way. delivered: the drinks are the payer's. expired: nobody can hold through it any more.
 */
const payLinkStates = ['open', 'held', 'paid', 'delivered', 'expired'] as const

const millisLeft = Type.Integer({ description: 'Milliseconds for which a wallet may still begin to buy through it; 0 once it has expired' })

export const PayLinkSchema = Type.Object(
  {
    id: Id('What to ask about it; nobody can pay with it'),
    url: Type.String({ description: 'What to show as a QR code: `solana:` and the URL-encoded link, as Solana Pay has it' }),
    amount: Type.Integer({ description: 'How many drinks it is for: all that is left of the listing' }),
    lamports: Type.String({ description: 'What the wallet pays in all, the fee included: lamports, as text', pattern: '^[0-9]+$' }),
    expiresAt: Timestamp('Until when a wallet may begin to buy through it'),
    millisLeft,
  },
  { title: 'PayLink' },
)

export const PayLinkStateSchema = Type.Object(
  {
    state: Type.Enum([...payLinkStates], {
      title: 'PayLinkProgress',
      description:
        '`open`: nobody holds through it. `held`: a wallet holds, and no payment has been seen yet; one that the wallet has sent by itself ' +
        'shows within half a minute. `paid`: its payment is on the way. `delivered`: the drinks are the payer’s. `expired`: nobody can hold ' +
        'through it any more.',
    }),
    millisLeft,
    payMillisLeft: Type.Integer({ description: 'While it is held: milliseconds that are left to pay; else 0' }),
  },
  { title: 'PayLinkState' },
)

export const payLinkCalls = {
  payLink: {
    summary: 'Make a link with which a wallet on a phone buys a listing',
    description:
      'For all that is left of it, at its price now. The link lives 10 minutes, has one open hold and is paid once; `GET` and `POST` to it ' +
      'answer as a Solana Pay transaction request. Whoever makes it may be signed in. Its unpaid holds count against its maker.',
    params: idParams('The listing'),
    response: { 201: PayLinkSchema },
    failures: [
      'WALLET_SENDS_OFF',
      'PUBLIC_ORIGIN_NEEDED',
      'PAUSED',
      'BLOCKED',
      'LISTING_NOT_FOUND',
      'LISTING_NOT_ACTIVE',
      'LISTING_HELD',
      'LISTING_FROZEN',
      'COOLDOWN',
      'PAY_LINK_LIMIT',
    ],
    notRepeatable: true,
    sessionOptional: true,
  },
  payLinkState: {
    summary: 'Ask how far the purchase through a payment link has come',
    description: 'Whoever has the link’s `id` may ask. It does not say who pays.',
    params: idParams('The payment link'),
    response: { 200: PayLinkStateSchema },
    failures: ['PAY_LINK_NOT_FOUND'],
  },
} as const satisfies Record<string, CallSchema>
