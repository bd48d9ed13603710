/** Programs and mints that the network or its token programs came with, and what people paste in place of a wallet. */
const names: ReadonlyMap<string, string> = new Map([
  ['11111111111111111111111111111111', 'the System program'],
  ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'the Token program'],
  ['TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb', 'the Token-2022 program'],
  ['ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', 'the Associated Token program'],
  ['So11111111111111111111111111111111111111112', 'the mint of wrapped SOL'],
  ['MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', 'the Memo program'],
  ['Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo', 'the former Memo program'],
  ['Stake11111111111111111111111111111111111111', 'the Stake program'],
  ['Vote111111111111111111111111111111111111111', 'the Vote program'],
  ['Config1111111111111111111111111111111111111', 'the Config program'],
  ['ComputeBudget111111111111111111111111111111', 'the Compute Budget program'],
  ['AddressLookupTab1e1111111111111111111111111', 'the Address Lookup Table program'],
  ['NativeLoader1111111111111111111111111111111', 'the native loader'],
  ['BPFLoader1111111111111111111111111111111111', 'a BPF loader'],
  ['BPFLoader2111111111111111111111111111111111', 'a BPF loader'],
  ['BPFLoaderUpgradeab1e11111111111111111111111', 'a BPF loader'],
  ['LoaderV411111111111111111111111111111111111', 'a program loader'],
  ['1nc1nerator11111111111111111111111111111111', 'the incinerator'],
])

/**
 * The network's own addresses are words that were filled up with 1s. A key whose address ends so would have to be searched for, and each
 * further 1 takes 58 times as long: nobody has found ten.
 */
const filledUp = /1{16}$/

/** What an address is that belongs to the network or its token programs, in words; undefined for any other. */
export function reservedAddressName(address: string): string | undefined {
  const name = names.get(address)
  if (name !== undefined || !filledUp.test(address)) return name
  return address.startsWith('Sysvar') ? 'a sysvar' : 'an address reserved by Solana'
}
