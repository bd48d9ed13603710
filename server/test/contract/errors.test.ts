import { errors, errorText, Failure } from '@juicebar/contract/errors'
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
