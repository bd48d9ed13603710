import { expect, type Player } from './test.ts'

/** Lists drinks through the API: so many for a price in SOL. Returns the listing's id. */
export async function list({ page }: Player, tokenType: string, amount: number, price: number, divisible = true): Promise<string> {
  const jwt = await page.evaluate(() => localStorage.getItem('jwt_token'))
  const reply = await page.request.post('/api/marketplace/listings', {
    headers: { authorization: `Bearer ${jwt}` },
    data: { tokenType, amount, price, divisible },
  })
  expect(reply.status()).toBe(201)
  const { listing } = (await reply.json()) as { listing: { _id: string } }
  return listing._id
}

/** Removes a listing through the API. */
export async function remove({ page }: Player, id: string): Promise<void> {
  const jwt = await page.evaluate(() => localStorage.getItem('jwt_token'))
  await page.request.delete(`/api/marketplace/listings/${id}`, { headers: { authorization: `Bearer ${jwt}` } })
}
