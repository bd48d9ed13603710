/** Local storage key of the chosen wallet's name, kept as JSON as the ecosystem does (specification, section 9). */
const CHOSEN_KEY = 'walletName'

/** The name of the wallet that the user chose last; undefined where none was. */
export function readChosenWallet(): string | undefined {
  try {
    const name: unknown = JSON.parse(localStorage.getItem(CHOSEN_KEY) ?? 'null')
    return typeof name === 'string' ? name : undefined
  } catch {
    return undefined
  }
}

export function writeChosenWallet(name: string | undefined): void {
  if (name === undefined) localStorage.removeItem(CHOSEN_KEY)
  else localStorage.setItem(CHOSEN_KEY, JSON.stringify(name))
}
