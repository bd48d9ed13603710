import { solText } from '@juicebar/contract/money'

import { type Catalogue } from '../../catalogue/catalogue.ts'

/** Something that a browser is to show, as it was noted. */
export interface QueuedPush {
  id: string
  kind: 'alert' | 'sale'
  tokenType: string
  /** Of an alert what one costs, in lamports; of a sale how many were sold. */
  quantity: bigint
}

/** What a browser gets. The market shows all of it to everybody, but for whom it is sent to. */
export interface PushMessage {
  title: string
  body: string
  /** Of several with the same one, a browser shows the last: whatever is sent twice is shown once. */
  tag: string
  /** What a click opens, on the market's origin. */
  url: string
}

/** What a push says; undefined if the item is no longer in the catalogue. */
export function pushMessage({ id, kind, tokenType, quantity }: QueuedPush, { item }: Pick<Catalogue, 'item'>): PushMessage | undefined {
  const name = item(tokenType)?.name
  if (name === undefined) return undefined
  const tag = id.replaceAll('-', '')
  if (kind === 'sale')
    return { title: `You sold ${quantity.toLocaleString('en-US')} ${name}`, body: 'Your SOL is in your wallet.', tag, url: '/' }
  return {
    title: `${name} for ${solText(quantity)} SOL`,
    body: 'The price that you wait for is on the market.',
    tag,
    url: `/drink/${tokenType}`,
  }
}
