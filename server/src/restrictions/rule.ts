import { type TokenType } from '@juicebar/contract/catalogue'
import { Failure } from '@juicebar/contract/errors'
import { lamports, type Lamports, lamportsToSol, solText, solToLamports } from '@juicebar/contract/money'
import { type Rule } from '@juicebar/contract/schemas'

import { type Catalogue, requireTokenType } from '../catalogue/catalogue.ts'
import { type BrokenRule } from './restriction.ts'

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
  if (types.size < drafts.length) throw new Failure('BAD_REQUEST', { detail: 'rules must have at most one rule for each drink.' })
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
    minUnitLamports !== null && `at least ${solText(minUnitLamports)} SOL a drink`,
    maxUnitLamports !== null && `at most ${solText(maxUnitLamports)} SOL a drink`,
    maxListings !== null && `at most ${maxListings} listings of a wallet`,
    maxDailyLamports !== null && `at most ${solText(maxDailyLamports)} SOL a day of a wallet`,
  ].filter((limit) => limit !== false)
  return `${name}: ${limits.join(', ') || 'no limit'}.`
}
