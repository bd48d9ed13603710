import { marketTitle } from '@juicebar/contract/market-settings'
import { loginMessage } from '@juicebar/contract/messages'
import { expect, it } from 'vitest'

it.each([
  ['Juicebar', 'Juicebar Marketplace'],
  ['Moonbase', 'Moonbase'],
  ['Moonbase Marketplace', 'Moonbase Marketplace'],
])('a market called %s is %s to people, also in the message that a wallet signs', (productName, title) => {
  expect(marketTitle(productName)).toBe(title)
  expect(loginMessage(productName, 'market.example', 'abc')).toBe(`Log in to ${title} at market.example\nNonce: abc`)
})
