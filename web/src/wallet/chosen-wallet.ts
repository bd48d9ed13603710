/** The local storage key of the chosen wallet's name, as JSON like in other Solana apps (specification, section 9). */
const CHOSEN_KEY = 'walletName'

/** @returns the name of the wallet that was chosen last; undefined if there is none */
export function readChosenWallet(): string | undefined {
  try {
    const name: unknown = JSON.parse(localStorage.getItem(CHOSEN_KEY) ?? 'null')
    return typeof name === 'string' ? name : undefined
  } catch {
    return undefined
  }
}

/** `undefined` forgets the chosen wallet. */
export function writeChosenWallet(name: string | undefined): void {
  if (name === undefined) localStorage.removeItem(CHOSEN_KEY)
  else localStorage.setItem(CHOSEN_KEY, JSON.stringify(name))
}
