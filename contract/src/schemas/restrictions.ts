import Type from 'typebox'

import { MAX_CATALOGUE } from '../catalogue.ts'
import { MAX_DAILY_SOL, MAX_LISTINGS_RULE, MAX_PRICE_SOL, MAX_REASON } from '../limits.ts'
import { type CallSchema, type Keywords } from './call.ts'
import {
  Address,
  closed,
  Flag,
  logReason,
  logReasonQuery,
  nextCursor,
  Nullable,
  pageOf,
  requiredToken,
  RequiredText,
  Timestamp,
  TokenTypeSchema,
  walletAddress,
} from './fields.ts'

const keywords = (own: Keywords) => own

const message = Type.String({ description: 'What the studio says to players' })
const since = Timestamp('Since when')
const actor = Type.String({ description: 'Whose key or wallet it was' })

/** The public part of a pause. */
export const AnnouncedPause = Type.Object(
  { message, since },
  { title: 'AnnouncedPause', description: 'Nothing can be listed or bought; what is paid is delivered, and removing and refunding work' },
)
export const PauseSchema = Type.Object({ message, since, actor }, { title: 'Pause' })

const reason = Type.String({ description: 'Why, for the player to read' })
const until = Nullable(Timestamp('When it ends by itself; null if it does not'))

/** What a blocked player may know. */
export const OwnBlock = Type.Object(
  { reason, until },
  {
    title: 'OwnBlock',
    description: 'The wallet may neither list nor buy. It can still remove its listings, pay for what it holds, and refund.',
  },
)
export const BlockSchema = Type.Object(
  {
    walletAddress: Address('Whose wallet'),
    reason,
    until,
    removeListings: Type.Boolean({ description: 'Its listings were taken back, and so are those that buyers held, if they do not pay' }),
    since,
    actor,
  },
  { title: 'Block' },
)

const unitPriceText = `SOL for one drink, from 0 to ${MAX_PRICE_SOL}, with at most nine decimals`
const unitPrice = (description: string) =>
  Type.Number({ ...keywords({ mustBe: unitPriceText }), minimum: 0, maximum: MAX_PRICE_SOL, description: `${description}, in SOL` })
const limits = {
  minUnitPrice: Type.Optional(unitPrice('The least that one drink may cost')),
  maxUnitPrice: Type.Optional(unitPrice('The most that one drink may cost')),
  maxListingsPerWallet: Type.Optional(
    Type.Integer({
      ...keywords({ mustBe: `a whole number from 0 to ${MAX_LISTINGS_RULE}` }),
      minimum: 0,
      maximum: MAX_LISTINGS_RULE,
      description: 'How many active listings of the drink a wallet may have',
    }),
  ),
  maxSolPerWalletPerDay: Type.Optional(
    Type.Number({
      ...keywords({ mustBe: `SOL from 0 to ${MAX_DAILY_SOL}, with at most nine decimals` }),
      minimum: 0,
      maximum: MAX_DAILY_SOL,
      description: 'How much SOL a wallet may spend on the drink in a UTC day, open holds included, fees not',
    }),
  ),
}

export const RuleSchema = Type.Object(
  { tokenType: TokenTypeSchema, ...limits },
  { title: 'Rule', description: 'What a drink’s listings and purchases must keep to. A field that is missing limits nothing.' },
)

const rulesReply = { response: { 200: Type.Object({ rules: Type.Array(RuleSchema) }) } }
const pauseReply = { response: { 200: Type.Object({ pause: Nullable(PauseSchema) }) } }
const blockOf = {
  params: Type.Object({ wallet: walletAddress }),
  response: { 200: Type.Object({ block: Nullable(BlockSchema) }) },
  failures: ['WALLET_ADDRESS_INVALID'],
} as const

export const restrictionCalls = {
  readPause: { summary: 'Read whether the market is paused', ...pauseReply, failures: [] },
  pauseMarket: {
    summary: 'Pause the market, with a message to players',
    description:
      'New listings and holds are refused with `PAUSED` and the message, on every server, from the reply on. Payments under way are delivered, and removing and refunding work. Pausing again changes the message.',
    body: Type.Object(
      { message: RequiredText(`what players read, at most ${MAX_REASON} characters`, MAX_REASON, { description: 'What players read' }) },
      { ...closed, title: 'PauseRequest' },
    ),
    response: { 200: Type.Object({ pause: PauseSchema }) },
    failures: [],
  },
  resumeMarket: { summary: 'Open the market again', querystring: logReasonQuery, ...pauseReply, failures: [] },
  studioBlocks: {
    summary: 'List the wallets that are blocked',
    description: 'The latest block first. Those that have ended are left out.',
    querystring: Type.Object(pageOf, closed),
    response: { 200: Type.Object({ blocks: Type.Array(BlockSchema), nextCursor }) },
    failures: ['CURSOR_INVALID'],
  },
  readBlock: { summary: 'Read whether a wallet is blocked', ...blockOf },
  blockWallet: {
    summary: 'Block a wallet, with a reason for its player',
    description:
      'From the reply on it can neither list nor hold (`BLOCKED`), and signs in only while it has a listing, an open purchase or an open case. It can still remove, pay for what it holds, and refund; what is paid is delivered. Blocking again replaces reason, `until` and `removeListings`.',
    params: blockOf.params,
    body: Type.Object(
      {
        reason: RequiredText(`why, for the player to read, at most ${MAX_REASON} characters`, MAX_REASON, {
          description: 'Why, for the player to read',
        }),
        until: Type.Optional(
          RequiredText('a time such as 2030-01-31T12:00:00Z', 40, {
            description: 'When the block ends by itself, in ISO 8601 with an offset; without it, only a call ends it',
          }),
        ),
        removeListings: Type.Optional(
          Flag(
            'Take the wallet’s listings off the market: the drinks return to it. What is being bought stays until it is sold or its hold ends.',
          ),
        ),
      },
      { ...closed, title: 'BlockRequest' },
    ),
    response: {
      200: Type.Object({ block: BlockSchema, removedListings: Type.Integer({ description: 'How many listings this call took back' }) }),
    },
    failures: ['WALLET_ADDRESS_INVALID'],
  },
  unblockWallet: {
    summary: 'End the block of a wallet',
    description: 'Listings that were taken back stay removed.',
    querystring: logReasonQuery,
    ...blockOf,
  },
  readRules: { summary: 'Read the rules of the drinks', ...rulesReply, failures: [] },
  setRules: {
    summary: 'Set the rules of the drinks',
    description:
      'These replace all rules there were; an empty list removes them. Checked when listing and when holding (`RULE_BROKEN`), from the reply on, and never when delivering. Listings that break a new rule stay, but cannot be bought.',
    body: Type.Object(
      {
        rules: Type.Array(Type.Object({ tokenType: requiredToken, ...limits }, { ...closed, title: 'RuleRequest' }), {
          ...keywords({ mustBe: 'a list with at most one rule for each tokenType' }),
          maxItems: MAX_CATALOGUE,
          description: 'At most one for each drink',
        }),
        reason: logReason,
      },
      { ...closed, title: 'RulesRequest' },
    ),
    ...rulesReply,
    failures: ['TOKEN_TYPE_UNKNOWN'],
  },
} as const satisfies Record<string, CallSchema>
