import { type Alert } from '@juicebar/contract/schemas'
import { describe, expect, it } from 'vitest'

import { firedSentence, firedSince, lastFired, priceProblem } from '../../src/features/alerts/alert-calls.ts'
import { type NotificationFacts, notificationState, stateTexts } from '../../src/features/alerts/browser-pushes.ts'

const alert = (id: string, firedAt: string | null, price: number | null = firedAt === null ? null : 0.0035): Alert => ({
  id,
  tokenType: 'APPLE_JUICE',
  below: 0.004,
  createdAt: '2030-01-01T00:00:00.000Z',
  firedAt,
  price,
})
const [first, second, waiting] = [alert('1', '2030-01-01T10:00:00.000Z'), alert('2', '2030-01-01T10:00:01.000Z'), alert('3', null)]

describe('the alerts that fired', () => {
  it('are those after the last that was told of', () => {
    expect(firedSince([second, first, waiting], '')).toEqual([second, first])
    expect(firedSince([second, first, waiting], first.firedAt ?? '')).toEqual([second])
    expect(lastFired([second, first, waiting])).toBe(second.firedAt)
    expect(lastFired([waiting])).toBe('')
  })

  it('are told in one sentence', () => {
    expect(firedSentence([])).toBeUndefined()
    expect(firedSentence([first])).toBe('Apple Juice is for sale at 0.0035 SOL each: your price alert has fired.')
    expect(firedSentence([second, first])).toBe('2 of your price alerts have fired.')
  })
})

describe('a price', () => {
  it.each(['', '0.004', '0.000001', '1000000', '0.123456789'])('may be %j', (text) => {
    expect(priceProblem(text)).toBeUndefined()
  })

  it.each(['0', '-1', '0.0000001', '1000001', '0.1234567891', 'x'])('may not be %j', (text) => {
    expect(priceProblem(text)).toMatch(/\.$/)
  })
})

describe('notifications', () => {
  const here = 'https://push.example/1'
  const on: NotificationFacts = { capable: true, platform: 'desktop', permission: 'granted', endpoint: here, sessionEndpoint: here }

  it.each<[string, Partial<NotificationFacts>]>([
    ['on', {}],
    ['off', { permission: 'default' }],
    ['off', { endpoint: undefined }],
    ['off', { sessionEndpoint: null }],
    ['off', { sessionEndpoint: 'https://push.example/2' }],
    ['denied', { permission: 'denied' }],
    ['unsupported', { capable: false }],
    ['install', { capable: false, platform: 'ios' }],
  ])('are %s with %j', (state, facts) => {
    expect(notificationState({ ...on, ...facts })).toBe(state)
    expect(stateTexts[notificationState({ ...on, ...facts })]).toMatch(/\.$/)
  })
})
