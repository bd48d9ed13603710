import { type Static, type TSchema } from 'typebox'

import { type EndpointName } from './endpoints.ts'
import { type Schemas } from './schemas.ts'

type Part<Name extends EndpointName, Key extends string> =
  Schemas[Name] extends Record<Key, infer Schema extends TSchema> ? Static<Schema> : undefined

/** The `:name` parts of a call's path. */
export type Params<Name extends EndpointName> = Part<Name, 'params'>
/** The query string of a call. */
export type Query<Name extends EndpointName> = Part<Name, 'querystring'>
/** The request headers with a meaning of their own for a call. */
export type RequestHeaders<Name extends EndpointName> = Part<Name, 'headers'>
/** The JSON that a call sends. */
export type Body<Name extends EndpointName> = Part<Name, 'body'>

type Success<Response> = Response[keyof Response & (200 | 201 | 202 | 204)]
/** The JSON that a call returns when it succeeds. */
export type Reply<Name extends EndpointName> = Schemas[Name] extends { response: infer Response }
  ? Success<Response> extends infer Schema extends TSchema
    ? Static<Schema>
    : undefined
  : undefined
