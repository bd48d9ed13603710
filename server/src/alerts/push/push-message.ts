import { solText } from '@juicebar/contract/money'

import { type Catalogue } from '../../catalogue/catalogue.ts'

/** Something for a browser to show, as recorded. */
export interface QueuedPush {
  id: string
  kind: 'alert' | 'sale'
  tokenType: string
  /** For an alert, the price of one in lamports; for a sale, how many were sold. */
  quantity: bigint
}

/** The content of a push. All of it is public, except for whom it is sent to. */
export interface PushMessage {
  title: string
  body: string
  /** If several have the same tag, a browser shows the last: a push that is sent twice is shown once. */
  tag: string
  /** The address that a click opens, on the market's origin. */
  url: string
}

/** The text of a push; undefined if the item is no longer in the catalogue. */
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
