import { type Static } from 'typebox'

import { type MarketEventSchema } from './schemas/events.ts'

/**
 * The content of `GET /api/marketplace/events`: the JSON data of each event; `type` is also the SSE event name. Purchases and cases go to
 * their buyer and seller only.
 */
export type MarketEvent = Static<typeof MarketEventSchema>

export type MarketEventType = MarketEvent['type']
