import { Failure } from '@juicebar/contract/errors'
import { solText } from '@juicebar/contract/money'
import { type TokenType } from '@juicebar/contract/catalogue'

/** A rule that a listing or a purchase would break. */
export interface BrokenRule {
  rule: 'minUnitPrice' | 'maxUnitPrice' | 'maxListingsPerWallet' | 'maxSolPerWalletPerDay'
  tokenType: TokenType
  /** In lamports, or a number of listings. */
  limit: string
  /** For maxSolPerWalletPerDay: the lamports left for the day. */
  left?: string
}

/** What the studio tells a blocked player. */
export interface PlayerBlock {
  reason: string
  /** ISO 8601; null if only a call ends it. */
  until: string | null
}

/** The studio's restriction for which a player's call is refused, as returned by the database. */
export type Restriction = { message: string } | PlayerBlock | BrokenRule

export const restrictionCodes = ['PAUSED', 'BLOCKED', 'RULE_BROKEN'] as const
export type RestrictionCode = (typeof restrictionCodes)[number]

/** The detail that completes the refusal's sentence. `nameOf`: the players' name of a token type. */
export function restrictionDetail(restriction: Restriction, nameOf: (tokenType: TokenType) => string): string {
  if ('message' in restriction) return restriction.message
  if ('reason' in restriction) {
    return `${blockText(restriction)} You can still remove your lots, pay for what you hold, and refund.`
  }
  return ruleText(restriction, nameOf(restriction.tokenType))
}

/** What a blocked wallet hears that has nothing left to settle. */
export function signInRefusal(block: PlayerBlock): Failure {
  return new Failure('BLOCKED', { detail: `${blockText(block)} Ask the studio if you think that this is a mistake.` })
}

function blockText({ reason, until }: PlayerBlock): string {
  return until === null ? asSentence(reason) : `${asSentence(reason)} Until ${until.slice(0, 16).replace('T', ' ')} UTC.`
}

function ruleText({ rule, limit, left }: BrokenRule, name: string): string {
  switch (rule) {
    case 'minUnitPrice':
      return `${name} must cost at least ${solText(BigInt(limit))} SOL a drink.`
    case 'maxUnitPrice':
      return `${name} must cost at most ${solText(BigInt(limit))} SOL a drink.`
    case 'maxListingsPerWallet':
      return `You may have at most ${limit} ${limit === '1' ? 'lot' : 'lots'} of ${name} on the market.`
    case 'maxSolPerWalletPerDay':
      return `You may buy ${name} for at most ${solText(BigInt(limit))} SOL a day; ${solText(BigInt(left ?? 0))} SOL are left until midnight UTC.`
  }
}

function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
