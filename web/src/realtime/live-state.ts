/**
 * live: the market's events arrive, through this tab's stream or another tab's. reconnecting: the stream is down, and everything on
 * the screen is reloaded every few seconds until it is back.
 */
export type LiveState = 'connecting' | 'live' | 'reconnecting'
