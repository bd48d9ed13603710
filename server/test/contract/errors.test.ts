import { errors, errorText, Failure } from '@juicebar/contract/errors'
import { findTokenType, tokenTypes } from '@juicebar/contract/token-types'
import { describe, expect, it } from 'vitest'

describe('the table of errors', () => {
  it.each(Object.entries(errors))('%s has a client or server status and a sentence', (_code, { status, text }) => {
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(600)
    expect(text.length).toBeGreaterThan(0)
  })

  it('puts the detail into the text', () => {
    expect(errorText('COOLDOWN', '10 min')).toContain('10 min')
    expect(new Failure('BAD_REQUEST', { detail: 'price is odd.' }).message).toBe('price is odd.')
  })
})

describe('token types', () => {
  it.each(tokenTypes)('$type is found by its value and by its name', ({ type, name }) => {
    expect(findTokenType(type)).toBe(type)
    expect(findTokenType(name)).toBe(type)
  })

  it('are found exactly or not at all', () => {
    expect(findTokenType('apple juice')).toBeUndefined()
    expect(findTokenType('')).toBeUndefined()
    expect(findTokenType('toString')).toBeUndefined()
  })
})
