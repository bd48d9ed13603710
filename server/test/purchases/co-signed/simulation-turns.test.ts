import { type WalletAddress } from '@juicebar/contract/addresses'
import { describe, expect, it } from 'vitest'
import { mayBegin, type Turn } from '../../../src/purchases/co-signed/reserve-payment.ts'

const turn = (buyer: string, hasBought: boolean): Turn => ({ buyer: buyer as WalletAddress, hasBought })
const [known, newcomer] = [turn('known', true), turn('newcomer', false)]
const many = (count: number, hasBought: boolean) => Array.from({ length: count }, (_, index) => turn(`${index}`, hasBought))

describe('a simulation', () => {
  it.each([true, false])('of a wallet that has bought begins, whether others wait (%s) or not', (saturated) => {
    expect(mayBegin(many(20, true), known, { saturated })).toBe(true)
  })

  it('of a newcomer begins while nobody waits', () => {
    expect(mayBegin(many(20, false), newcomer, { saturated: false })).toBe(true)
  })

  it('of newcomers is at most one in three while others wait', () => {
    expect(mayBegin([turn('other', false)], newcomer, { saturated: true })).toBe(false)
    expect(mayBegin([...many(3, true), turn('other', false)], newcomer, { saturated: true })).toBe(false)
    expect(mayBegin([...many(4, true), turn('other', false)], newcomer, { saturated: true })).toBe(true)
  })

  it('of a single newcomer may always begin', () => {
    expect(mayBegin([], newcomer, { saturated: true })).toBe(true)
  })
})
