import { base58 } from '@scure/base'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { readSearch } from '../../src/desk/find/search-field.tsx'
import { parsePlace, placeLink, sections } from '../../src/desk/frame/places.ts'

const wallet = base58.encode(new Uint8Array(32).fill(7))
const signature = base58.encode(new Uint8Array(64).fill(9))
const purchaseId = '01890a5d-ac96-774b-bcce-b302099a8057'
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })

describe('the search field', () => {
  it('reads every wallet and every signature', () => {
    fc.assert(
      fc.property(bytes(32), bytes(64), (key, signed) => {
        expect(readSearch(base58.encode(key))).toEqual({ kind: 'wallet', walletAddress: base58.encode(key) })
        expect(readSearch(base58.encode(signed))).toEqual({ kind: 'transaction', signature: base58.encode(signed) })
      }),
    )
  })

  it.each([
    [`  ${wallet}\n`, { kind: 'wallet', walletAddress: wallet }],
    [purchaseId.toUpperCase(), { kind: 'purchase', purchaseId }],
    [`${purchaseId}.2`, { kind: 'purchase', purchaseId }],
    [`https://explorer.solana.com/tx/${signature}?cluster=devnet`, { kind: 'transaction', signature }],
    [`https://explorer.solana.com/address/${wallet}`, { kind: 'wallet', walletAddress: wallet }],
    [`${wallet} paid ${signature}`, { kind: 'transaction', signature }],
  ])('reads %j', (text, search) => {
    expect(readSearch(text)).toEqual(search)
  })

  it.each(['', 'apple juice', wallet.slice(1), '0x52908400098527886E0F7030069857D2E4169EE7', '1'.repeat(40)])('refuses %j', (text) => {
    expect(readSearch(text)).toBeUndefined()
  })
})

describe('the address', () => {
  /** As the unit "binary" of fast-check, which takes more than a second to find out which characters there are. */
  const character = fc.nat({ max: 0x10f7ff }).map((index) => String.fromCodePoint(index < 0xd800 ? index : index + 0x800))

  it('of every part leads back to it, with any detail', () => {
    fc.assert(
      fc.property(fc.constantFrom(...sections), fc.string({ unit: character }), ({ name }, detail) => {
        expect(parsePlace(placeLink(name, detail))).toEqual({ section: name, detail })
      }),
    )
  })

  it.each(['', '#', '#nothing/there', '#%'])('%j is the front', (hash) => {
    expect(parsePlace(hash)).toEqual({ section: 'today', detail: '' })
  })
})
