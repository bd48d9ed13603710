/** The local storage key of the names of wallets, as JSON. */
const KEY = 'walletsThatSignAlone'

/** True if a wallet has failed before to sign a payment that the market signs, too. */
export function signsAlone(name: string): boolean {
  return readNames().includes(name)
}

/** Remembers that a wallet fails to sign a payment that the market signs, too, but signs one that it alone signs. */
export function rememberLoneSigner(name: string): void {
  const names = readNames()
  if (!names.includes(name)) localStorage.setItem(KEY, JSON.stringify([...names, name]))
}

function readNames(): string[] {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
  } catch {
    return []
  }
}
