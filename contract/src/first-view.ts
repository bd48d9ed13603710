import { type MarketSettings } from './market-settings.ts'

/** The id of the data block in the HTML that has the replies that the page's first view was made of. */
export const FIRST_VIEW_ID = 'first-view'

/** The attribute of the element that holds a first view, until the web app has taken it over. */
export const FIRST_VIEW_ATTRIBUTE = 'data-first-view'

/** What the server puts into a page, so that it can be read before any script has run, and the web app starts from there. */
export interface FirstViewData {
  /** The event that the replies came with; a stream that starts there misses nothing. Undefined if unknown. */
  lastEventId?: string | undefined
  /** The bodies of the replies, by path and query of the call. */
  replies: Record<string, unknown>
}

/** A call whose reply a first view shows. */
export interface NeededReply {
  /** The call's path and query. */
  path: string
  /** Without the reply, or if it does not come soon, the view is shown all the same. */
  isOptional?: boolean
}

/** What the web app's build gives the server to make first views with. */
export interface FirstViewRenderer {
  /** The calls whose replies the first view of a page shows; none if the page has no first view. */
  needsOf(page: PageAddress): Promise<readonly NeededReply[]>
  /** The first view as HTML. Rejects if a component throws. */
  render(page: PageAddress, data: FirstViewData): Promise<string>
}

/** What the file of the build exports. The web app keeps a market's settings in its modules, so another market loads the file again. */
export interface FirstViewModule {
  createRenderer(settings: MarketSettings): FirstViewRenderer
}

/** Of a page of the market. */
export interface PageAddress {
  path: string
  /** The query, with its question mark; empty for none. */
  search: string
}
