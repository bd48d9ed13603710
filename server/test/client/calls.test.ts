import { readFile } from 'node:fs/promises'

import { type Body, type Query, type Reply } from '@juicebar/contract/calls'
import { type studioEndpoints } from '@juicebar/contract/endpoints/studio'
import { expect, it } from 'vitest'

import { callsFile, printCalls } from '../../../client/print-calls.ts'
import { type Calls } from '../../../client/src/calls.ts'

type Name = keyof typeof studioEndpoints
type Part<Input, Key extends string> = Key extends keyof Input ? Exclude<Input[Key], undefined> : undefined

/** The client's types and the contract's, by the name of a call: each must be assignable to the other. */
interface Same<Call extends Name> {
  body: [Part<Calls[Call]['input'], 'body'>, Body<Call> | undefined]
  query: [Part<Calls[Call]['input'], 'query'>, Query<Call>]
  reply: [Calls[Call]['reply'], Reply<Call>]
}
type Differing = {
  [Call in Name]: Same<Call>['reply'][0] extends Same<Call>['reply'][1]
    ? Same<Call>['reply'][1] extends Same<Call>['reply'][0]
      ? Same<Call>['body'][0] extends Same<Call>['body'][1]
        ? Same<Call>['query'][0] extends Same<Call>['query'][1]
          ? never
          : Call
        : Call
      : Call
    : Call
}[Name]
/** Does not compile as soon as a call of the client differs from the contract. */
const differing: [Differing] extends [never] ? 'none' : Differing = 'none'

it('the client has the calls of the contract, and their types', async () => {
  expect(differing).toBe('none')
  expect(await readFile(callsFile, 'utf8'), 'run `npm run schema`').toBe(printCalls())
})
