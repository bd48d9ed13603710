import { SELLER_CHARACTERS_SHOWN, SIGNATURE_CHARACTERS_SHOWN } from '@juicebar/contract/limits'

const SOL_DIGITS = 9
const UNIT_PRICE_DIGITS = 4
const clock: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' }
const dayAndClock: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }
export const dateAndTime: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' }
const dateFormats = new Map<Intl.DateTimeFormatOptions, Intl.DateTimeFormat>()

/** A format of dates, made when it is first needed: each takes the browser some milliseconds. */
export function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const format = dateFormats.get(options) ?? new Intl.DateTimeFormat('en-GB', options)
  dateFormats.set(options, format)
  return format
}

/**
 * A number with at most so many decimals, thousands set apart: 1234.5 is "1,234.5". The browser's own formats of numbers would hold up the
 * first view, for longer than all else in it.
 */
export function formatDecimal(value: number, decimals: number): string {
  const shortest = String(value)
  const isExact = !shortest.includes('e') && (shortest.split('.')[1] ?? '').length <= decimals
  const [whole = '', fraction = ''] = (isExact ? shortest : value.toFixed(decimals)).split('.')
  const end = fraction.replace(/0+$/, '')
  return `${whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')}${end && '.'}${end}`
}

/** 12345 becomes "12,345". */
export function formatAmount(amount: number): string {
  return formatDecimal(amount, 0)
}

/** A price in SOL without trailing zeros: 1234.5 becomes "1,234.5". */
export function formatSol(sol: number): string {
  return formatDecimal(sol, SOL_DIGITS)
}

/** The price of one token in SOL, with four significant digits. */
export function formatUnitPrice(sol: number): string {
  const rounded = Number(sol.toPrecision(UNIT_PRICE_DIGITS))
  const magnitude = Math.floor(Math.log10(rounded || 1))
  return formatDecimal(rounded, Math.max(0, UNIT_PRICE_DIGITS - 1 - magnitude))
}

/** First 8 characters of a seller's address, then an ellipsis (specification, section 2). */
export function shortSeller(address: string): string {
  return `${address.slice(0, SELLER_CHARACTERS_SHOWN)}…`
}

/** First and last 4 characters of an address joined by two dots (specification, section 2). */
export function shortAddress(address: string): string {
  return `${address.slice(0, 4)}..${address.slice(-4)}`
}

/** First 20 characters of a transaction's signature (specification, section 9). */
export function shortSignature(signature: string): string {
  return signature.slice(0, SIGNATURE_CHARACTERS_SHOWN)
}

/** A timestamp of the server, in the browser's time zone: "1 Jan 2026, 00:00". */
export function formatTime(timestamp: string): string {
  return dateFormat(dateAndTime).format(new Date(timestamp))
}

/** A time within a day from now, in milliseconds, as "14:33", with its day if that is not today. It is rounded up, so that it is not too early. */
export function formatClock(time: number, now = Date.now()): string {
  const end = new Date(Math.ceil(time / 60_000) * 60_000)
  const today = end.toDateString() === new Date(now).toDateString()
  return dateFormat(today ? clock : dayAndClock).format(end)
}

/** Milliseconds as a countdown: 65000 becomes "1:05". */
export function formatCountdown(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** A rate in hundredths of a percent as text: 150 is "1.5%". */
export function formatRate(basisPoints: number): string {
  return `${basisPoints / 100}%`
}
