import Type from 'typebox'

import { MAX_KEY_NAME } from '../../limits.ts'
import { scopes } from '../../scopes.ts'
import { type CallSchema, type Keywords } from '../call.ts'
import { closed, Id, idParams, logReason, logReasonQuery, nextCursor, Nullable, pageOf, RequiredText, Timestamp } from '../fields.ts'

const mustBe = (words: string): Keywords => ({ mustBe: words })

export const ScopeSchema = Type.Enum(scopes, {
  title: 'Scope',
  description: 'What a key or a member of the staff may do. Scopes do not contain each other',
})

export const requiredScopes = Type.Array(ScopeSchema, {
  ...mustBe(`a list of scopes, each once: ${scopes.join(', ')}`),
  description: 'What it may do',
  minItems: 1,
  maxItems: scopes.length,
  uniqueItems: true,
})

const dailyCreditLimit = Type.Integer({
  ...mustBe('a whole number of drinks from 0 on'),
  description: 'How many drinks it and the keys below it may credit in a day (UTC), all kinds together',
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
})

const replaces = RequiredText('the id of a key', 64, {
  description:
    'The id of a key whose idempotency keys it takes over, so that an order which that key has posted is not posted again. Itself or a key below it, unless the staff or `STUDIO_API_KEY` asks',
})

const expiresAt = Type.String({
  ...mustBe('a time such as 2030-01-31T00:00:00Z'),
  description: 'From when on it is refused',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,6})?(?:Z|[+-]\\d\\d:\\d\\d)$',
  maxLength: 40,
})

const described = {
  id: Id('The key, which is not its secret'),
  name: Type.String({ description: 'What the log calls it' }),
  scopes: Type.Array(ScopeSchema),
  dailyCreditLimit: Nullable(
    Type.Integer({ description: 'How many drinks it and the keys below it may credit in a day (UTC); null without a limit' }),
  ),
  creditedToday: Nullable(
    Type.Integer({ description: 'How many of them it and the keys below it have credited today; null without a limit' }),
  ),
  expiresAt: Nullable(Timestamp('From when on it is refused')),
  revokedAt: Nullable(Timestamp('When it was revoked')),
  lastUsedAt: Nullable(Timestamp('When it was last used, to the minute')),
  createdAt: Timestamp('When it was made'),
  createdBy: Type.String({ description: 'The name of the key that made it, or the wallet of the staff' }),
}

const StudioKeySchema = Type.Object(described, { title: 'StudioKey' })

export const keyCalls = {
  createStudioKey: {
    summary: 'Make a studio key',
    description:
      'The secret is shown this once: the server keeps only its hash. A key makes only keys with its own scopes, limit and expiry or less, and a member of the staff only keys with their own scopes or fewer. To rotate a key, make a second one that `replaces` it, use it, then revoke the first. All keys share their idempotency keys, but one with a daily limit has its own, unless it replaces another.',
    body: Type.Object(
      {
        name: RequiredText(`a name of at most ${MAX_KEY_NAME} characters, which the log will show`, MAX_KEY_NAME),
        scopes: requiredScopes,
        expiresAt: Type.Optional(Nullable(expiresAt)),
        dailyCreditLimit: Type.Optional(Nullable(dailyCreditLimit)),
        replaces: Type.Optional(Nullable(replaces)),
        reason: logReason,
      },
      { ...closed, title: 'StudioKeyRequest' },
    ),
    response: {
      201: Type.Object({
        key: Type.Object(
          {
            ...described,
            secret: Type.String({ description: 'What calls carry in `Authorization: Bearer`. Keep it: it is not shown again' }),
          },
          { title: 'NewStudioKey' },
        ),
      }),
    },
    failures: ['KEY_TOO_POWERFUL', 'KEY_NOT_FOUND', 'NOT_YOUR_KEY', 'TOO_MANY_KEYS'],
    notRepeatable: true,
  },
  studioKeys: {
    summary: 'List the studio keys',
    description:
      'The newest first, without their secrets; also those that were revoked or have expired. `STUDIO_API_KEY` is not among them.',
    querystring: Type.Object(pageOf, closed),
    response: { 200: Type.Object({ keys: Type.Array(StudioKeySchema), nextCursor }) },
    failures: ['CURSOR_INVALID'],
  },
  revokeStudioKey: {
    summary: 'Revoke a studio key',
    description:
      'From then on no server accepts it. Keys that it made stay. Revoking it again changes nothing. A key ends only itself and the keys below it: those that it made, those that these made, and so on. The staff and `STUDIO_API_KEY` end any key.',
    params: idParams('The key'),
    querystring: logReasonQuery,
    response: { 200: Type.Object({ key: StudioKeySchema }) },
    failures: ['KEY_NOT_FOUND', 'NOT_YOUR_KEY'],
  },
} as const satisfies Record<string, CallSchema>
