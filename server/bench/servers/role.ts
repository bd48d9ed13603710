/** What a server process runs; see `server-process.ts`. */
export type Role =
  | { role: 'product'; databaseUrl: string; chain?: ChainSettings; metricsPort?: number }
  | { role: 'bare'; body: string }
  | { role: 'writes'; databaseUrl: string; perSecond: number }

/** The endpoints of a product server that has no stub for its chain port. */
export interface ChainSettings {
  endpoints: string[]
  /** What the server may ask of each endpoint. */
  requestsPerSecond: number
  holdSeconds: number
}
