import { type NeededReply } from '@juicebar/contract/first-view'

import { fillPath } from '../api/client.ts'

/** A call whose reply a first view shows. */
export interface Need extends NeededReply {
  /** Puts its reply where the components look for it; of an optional one, also nothing. */
  keep: (body: never) => void
}

/** The need of an endpoint's reply, such as that of `GET /health`. */
export function need(endpoint: string, input: { params?: object; query?: object }, keep: Need['keep']): Need {
  const [, template = ''] = endpoint.split(' ')
  return { path: fillPath(template, input), keep }
}
