import { Failure } from '@juicebar/contract/errors'
import { solText, lamports, type Lamports, lamportsToSol, solToLamports } from '@juicebar/contract/money'
import { type TokenType } from '@juicebar/contract/catalogue'
import { type Rule, type Block } from '@juicebar/contract/schemas'
import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { type Catalogue, requireTokenType } from '../catalogue/catalogue.ts'

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
    return `${blockText(restriction)} You cannot buy or sell now, but you can still finish what you have begun.`
  }
  return brokenRuleText(restriction, nameOf(restriction.tokenType))
}

/** What a blocked wallet hears that has nothing left to settle. */
export function signInRefusal(block: PlayerBlock): Failure {
  return new Failure('BLOCKED', { detail: `${blockText(block)} Ask the studio if you think that this is a mistake.` })
}

function blockText({ reason, until }: PlayerBlock): string {
  return until === null ? asSentence(reason) : `${asSentence(reason)} Until ${until.slice(0, 16).replace('T', ' ')} UTC.`
}

function brokenRuleText({ rule, limit, left }: BrokenRule, name: string): string {
  switch (rule) {
    case 'minUnitPrice':
      return `${name} must cost at least ${solText(BigInt(limit))} SOL each.`
    case 'maxUnitPrice':
      return `${name} must cost at most ${solText(BigInt(limit))} SOL each.`
    case 'maxListingsPerWallet':
      return `You may have at most ${limit} ${limit === '1' ? 'listing' : 'listings'} of ${name} on the market.`
    case 'maxSolPerWalletPerDay':
      return `You may buy ${name} for at most ${solText(BigInt(limit))} SOL a day; ${solText(BigInt(left ?? 0))} SOL are left until midnight UTC.`
  }
}

function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

/** The rules of a drink. Null: no such rule. */
export interface TokenRule {
  tokenType: TokenType
  minUnitLamports: bigint | null
  maxUnitLamports: bigint | null
  maxListings: number | null
  maxDailyLamports: bigint | null
}

/**
 * The rule of the unit price that so many drinks for so many lamports break; undefined if none. The rules are whole lamports, so that no part
 * of a listing that keeps them breaks one, and no rest.
 */
export function brokenPriceRule(
  rule: TokenRule | undefined,
  { tokenType, amount, lamports: price }: { tokenType: TokenType; amount: number; lamports: bigint },
): BrokenRule | undefined {
  const [least, most] = [rule?.minUnitLamports ?? null, rule?.maxUnitLamports ?? null]
  if (least !== null && price < least * BigInt(amount)) return { rule: 'minUnitPrice', tokenType, limit: String(least) }
  return most !== null && price > most * BigInt(amount) ? { rule: 'maxUnitPrice', tokenType, limit: String(most) } : undefined
}

/** The rule of a wallet's day that a purchase would break, in lamports; undefined if none. `bought`: today, by UTC, and what is under way. */
export function brokenDailyRule(
  rule: TokenRule | undefined,
  { tokenType, bought, lamports: price }: { tokenType: TokenType; bought: bigint; lamports: bigint },
): BrokenRule | undefined {
  const most = rule?.maxDailyLamports ?? null
  if (most === null || bought + price <= most) return undefined
  return { rule: 'maxSolPerWalletPerDay', tokenType, limit: String(most), left: String(bought < most ? most - bought : 0n) }
}

type RuleFields = Omit<Rule, 'tokenType'> & { tokenType: string }

/**
 * Reads the payload of new rules: at most one for each drink, by its enum value or its display name.
 * @throws TOKEN_TYPE_UNKNOWN; BAD_REQUEST if a drink has two rules, a limit is no whole number of lamports, or nothing could keep to a rule
 */
export function draftRules(rules: readonly RuleFields[], catalogue: Pick<Catalogue, 'find'>): TokenRule[] {
  const drafts = rules.map((rule) => draftRule(rule, requireTokenType(catalogue, rule.tokenType)))
  const types = new Set(drafts.map(({ tokenType }) => tokenType))
  if (types.size < drafts.length) throw new Failure('BAD_REQUEST', { detail: 'rules must have at most one rule for each tokenType.' })
  return drafts
}

function draftRule(fields: RuleFields, tokenType: TokenType): TokenRule {
  const { minUnitPrice, maxUnitPrice, maxListingsPerWallet, maxSolPerWalletPerDay } = fields
  const minUnitLamports = limitOf('minUnitPrice', minUnitPrice)
  const maxUnitLamports = limitOf('maxUnitPrice', maxUnitPrice)
  if (minUnitLamports !== null && maxUnitLamports !== null && minUnitLamports > maxUnitLamports) {
    throw new Failure('BAD_REQUEST', { detail: 'minUnitPrice must not be above maxUnitPrice.' })
  }
  return {
    tokenType,
    minUnitLamports,
    maxUnitLamports,
    maxListings: maxListingsPerWallet ?? null,
    maxDailyLamports: limitOf('maxSolPerWalletPerDay', maxSolPerWalletPerDay),
  }
}

function limitOf(field: keyof Rule, sol: number | undefined): Lamports | null {
  if (sol === undefined) return null
  const limit = exactLamports(sol)
  if (limit === undefined) throw new Failure('BAD_REQUEST', { detail: `${field} must be SOL with at most nine decimals.` })
  return limit
}

/** JavaScript writes numbers below this with an exponent. */
const SHORTEST_DECIMAL = 1e-6

/** As `solToLamports`, also for a few lamports, which are no prices but may be unit prices. */
function exactLamports(sol: number): Lamports | undefined {
  if (sol >= SHORTEST_DECIMAL || !(sol > 0)) return solToLamports(sol)
  const decimals = sol.toFixed(9)
  return Number(decimals) === sol ? lamports(BigInt(decimals.slice(2))) : undefined
}

/** A rule as replies carry it. */
export function ruleReply({ tokenType, minUnitLamports, maxUnitLamports, maxListings, maxDailyLamports }: TokenRule): Rule {
  return {
    tokenType,
    ...(minUnitLamports !== null && { minUnitPrice: lamportsToSol(minUnitLamports) }),
    ...(maxUnitLamports !== null && { maxUnitPrice: lamportsToSol(maxUnitLamports) }),
    ...(maxListings !== null && { maxListingsPerWallet: maxListings }),
    ...(maxDailyLamports !== null && { maxSolPerWalletPerDay: lamportsToSol(maxDailyLamports) }),
  }
}

/** The rules in words, for the studio's log. */
export function rulesText(rules: readonly TokenRule[], { nameOf }: Pick<Catalogue, 'nameOf'>): string {
  return rules.length === 0 ? 'No rules.' : rules.map((rule) => ruleText(rule, nameOf(rule.tokenType))).join(' ')
}

function ruleText({ minUnitLamports, maxUnitLamports, maxListings, maxDailyLamports }: TokenRule, name: string): string {
  const limits = [
    minUnitLamports !== null && `at least ${solText(minUnitLamports)} SOL each`,
    maxUnitLamports !== null && `at most ${solText(maxUnitLamports)} SOL each`,
    maxListings !== null && `at most ${maxListings} listings of a wallet`,
    maxDailyLamports !== null && `at most ${solText(maxDailyLamports)} SOL a day of a wallet`,
  ].filter((limit) => limit !== false)
  return `${name}: ${limits.join(', ') || 'no limit'}.`
}

/** A block as stored. */
export interface BlockRow {
  walletAddress: WalletAddress
  reason: string
  until: Date | null
  takesListings: boolean
  actor: string
  since: Date
}

export function blockReply({ walletAddress, reason, until, takesListings, actor, since }: BlockRow): Block {
  return { walletAddress, reason, until: until?.toISOString() ?? null, removeListings: takesListings, since: since.toISOString(), actor }
}

/** The end of a page of blocks, latest first. */
export interface BlockPosition {
  /** In microseconds since 1970, the database's precision. */
  sinceMicros: bigint
  wallet: WalletAddress
}

export function blockCursor({ sinceMicros, wallet }: BlockPosition): string {
  return `${sinceMicros}.${wallet}`
}

/**
 * Reads what `blockCursor` wrote.
 * @throws CURSOR_INVALID
 */
export function parseBlockCursor(cursor: string): BlockPosition {
  const [micros = '', text = '', ...rest] = cursor.split('.')
  const wallet = parseWalletAddress(text)
  if (!/^\d{1,17}$/.test(micros) || !wallet || rest.length > 0) throw new Failure('CURSOR_INVALID')
  return { sinceMicros: BigInt(micros), wallet }
}
