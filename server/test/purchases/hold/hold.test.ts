import { readFileSync } from 'node:fs'

import { lamports } from '@juicebar/contract/money'
import { errors } from '@juicebar/contract/errors'
import { describe, expect, it } from 'vitest'

import { defaultCatalogue } from '../../support/catalogue.ts'
import { holdFailure, spendableLamports } from '../../../src/purchases/hold/hold.ts'

const refusal = { retrySeconds: undefined, allowed: undefined }

describe('a refused hold', () => {
  it('has a code of the contract, whatever the database refuses', () => {
    const schema = readFileSync(new URL('../../../schema.sql', import.meta.url), 'utf8')
    const codes = [...schema.matchAll(/^ *(?:return|refusal :=|(?:return case )?when .* then) '([A-Z_]{4,})'/gm)].map(([, code]) => code)
    expect(codes).toHaveLength(33)
    expect(Object.keys(errors)).toEqual(expect.arrayContaining(codes))
  })

  it('tells a buyer in cooldown how long to wait', () => {
    expect(holdFailure({ ...refusal, code: 'COOLDOWN', retrySeconds: 61 }, defaultCatalogue)).toMatchObject({
      retryAfter: 61,
      message: expect.stringContaining('2 min'),
    })
  })

  it('tells a buyer with too many holds how many are allowed', () => {
    const text = (allowed: number) => holdFailure({ ...refusal, code: 'TOO_MANY_HOLDS', allowed }, defaultCatalogue).message
    expect(text(3)).toContain('3 lots at a time')
    expect(text(1)).toContain('one lot at a time')
  })
})

it('a wallet can spend its SOL except for the reserve and the rent', () => {
  expect(spendableLamports(lamports(2_000_000n), lamports(890_880n))).toBe(2_000_000n - 100_000n - 890_880n)
})
