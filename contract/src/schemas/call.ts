import { type TSchema } from 'typebox'

import { type ErrorCode } from '../errors.ts'

/** What one call takes and returns, and what the API document says about it. */
export interface CallSchema {
  /** One line, imperative. */
  summary: string
  /** What else a caller must know, as Markdown. */
  description?: string
  params?: TSchema
  querystring?: TSchema
  /** Request headers with a meaning of their own for this call, by their names in lower case. */
  headers?: TSchema
  body?: TSchema
  /** By status. The only one is the status of every success; of several, 200, unless the route sets another. */
  response?: Record<number, TSchema>
  /**
   * The error codes of this call's own rules. Those shared by all calls with the same method, path and callers (such as TOO_MANY_REQUESTS)
   * are added to the document automatically.
   */
  failures: readonly ErrorCode[]
  /** Repeating the call has a further effect. */
  notRepeatable?: true
  /** Most bytes of a body; `MAX_BODY_BYTES` without it. */
  maxBodyBytes?: number
  /** The session may be left out. */
  sessionOptional?: true
  /** Only described: the framework neither validates nor serialises these. */
  documented?: {
    body?: TSchema
    /** Request headers by name. */
    headers?: Record<string, TSchema>
    /** Replies by status: their headers by name, and their content by media type. */
    replies?: Record<number, { description?: string; headers?: Record<string, TSchema>; content?: Record<string, TSchema> }>
  }
}

/** Keywords of ours that a schema may carry. Validators and serialisers ignore them. */
export type Keywords = {
  /** The end of a refusal that starts with the field's name and "must be". Without it, the refusal names the broken bound. */
  mustBe?: string
  /** What the API document shows instead: a rule checks more than this schema, with an error code of its own. */
  documentedAs?: TSchema
}

/** For every call that asks the chain. */
export const chainFailures = ['CHAIN_DOWN', 'CHAIN_BUSY'] as const satisfies readonly ErrorCode[]
