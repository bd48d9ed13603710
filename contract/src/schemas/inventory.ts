import Type from 'typebox'

import { type CallSchema } from './call.ts'
import { Id, Address, TokenTypeSchema, Timestamp, walletAddress } from './fields.ts'

/** Amounts by `balanceKey`, of every item of the catalogue. */
export const BalancesOf = (words: { title: string; description: string }) => Type.Record(Type.String(), Type.Integer(), words)

export const BalancesSchema = BalancesOf({
  title: 'Balances',
  description: 'How many of each drink the wallet has, without those in its active listings',
})

export const StudioOrder = Type.Object(
  {
    id: Id('The ledger’s number of this order'),
    direction: Type.Enum(['credit', 'debit'], { title: 'OrderDirection', description: 'Whether drinks enter or leave the market' }),
    walletAddress: Address('Whose drinks'),
    tokenType: TokenTypeSchema,
    amount: Type.Integer(),
    idempotencyKey: Type.String(),
    createdAt: Timestamp('When it was first posted'),
  },
  { title: 'StudioOrder' },
)

export const inventoryCalls = {
  balance: {
    summary: 'Read your own token balances',
    params: Type.Object({ walletAddress }),
    response: { 200: Type.Object({ balances: BalancesSchema }) },
    failures: ['WALLET_ADDRESS_INVALID', 'NOT_YOUR_BALANCE'],
  },
} as const satisfies Record<string, CallSchema>
