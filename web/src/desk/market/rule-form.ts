import { MAX_DAILY_SOL, MAX_LISTINGS_RULE, MAX_PRICE_SOL } from '@juicebar/contract/limits'
import { type Rule } from '@juicebar/contract/schemas'

/** The limits of a rule, in the order of the form. */
export const limits = [
  { name: 'minUnitPrice', label: 'Minimum unit price (SOL)', most: MAX_PRICE_SOL, whole: false },
  { name: 'maxUnitPrice', label: 'Maximum unit price (SOL)', most: MAX_PRICE_SOL, whole: false },
  { name: 'maxListingsPerWallet', label: 'Listings per player, at most', most: MAX_LISTINGS_RULE, whole: true },
  { name: 'maxSolPerWalletPerDay', label: 'SOL per player per day, at most', most: MAX_DAILY_SOL, whole: false },
] as const

export type LimitName = (typeof limits)[number]['name']
/** What is typed: text, empty where nothing is limited. */
export type RuleText = Record<LimitName, string>

const decimal = /^\d{1,10}(?:\.\d{1,9})?$/

/** A drink's rule as text to change. */
export function ruleText(rule: Rule | undefined): RuleText {
  const text = (name: LimitName) => (rule?.[name] === undefined ? '' : plain(rule[name]))
  return {
    minUnitPrice: text('minUnitPrice'),
    maxUnitPrice: text('maxUnitPrice'),
    maxListingsPerWallet: text('maxListingsPerWallet'),
    maxSolPerWalletPerDay: text('maxSolPerWalletPerDay'),
  }
}

/** Reads the form of one drink: its rule, undefined if it limits nothing, or what is wrong. */
export function readRule(tokenType: Rule['tokenType'], text: RuleText): { rule: Rule | undefined } | { problem: string } {
  const rule: Rule = { tokenType }
  for (const { name, label, most, whole } of limits) {
    const typed = text[name].trim()
    if (!typed) continue
    const value = Number(typed)
    if (!decimal.test(typed) || value > most || (whole && !Number.isInteger(value))) {
      return { problem: `“${label}” is ${whole ? 'a whole number' : 'a number with at most nine decimals'}, or empty.` }
    }
    rule[name] = value
  }
  const { minUnitPrice, maxUnitPrice } = rule
  if (minUnitPrice !== undefined && maxUnitPrice !== undefined && minUnitPrice > maxUnitPrice) {
    return { problem: 'The lowest price is above the highest: nobody could sell it.' }
  }
  return { rule: limits.some(({ name }) => rule[name] !== undefined) ? rule : undefined }
}

/** All rules, with that of one drink replaced or, if it is undefined, left out. */
export function replaceRule(rules: readonly Rule[], tokenType: Rule['tokenType'], rule: Rule | undefined): Rule[] {
  const others = rules.filter((other) => other.tokenType !== tokenType)
  return rule ? [...others, rule] : others
}

/** Without an exponent, which nobody types: 1e-9 is "0.000000001". */
function plain(value: number): string {
  return value.toFixed(9).replace(/\.?0+$/, '')
}
