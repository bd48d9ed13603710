import Type from 'typebox'

import { MAX_ALERTS, MAX_PRICE_SOL, MAX_PUSH_ENDPOINT, MAX_PUSH_SUBSCRIPTIONS, MIN_ALERT_SOL } from '../../limits.ts'
import { type CallSchema, type Keywords } from '../call.ts'
import { closed, Id, idParams, Nullable, requiredToken, RequiredText, Timestamp, TokenTypeSchema } from '../fields.ts'

const keywords = (own: Keywords) => own

const priceText = `SOL from ${MIN_ALERT_SOL} to ${MAX_PRICE_SOL}, with at most nine decimals`
const below = Type.Number(
  keywords({
    mustBe: priceText,
    documentedAs: Type.Number({
      minimum: MIN_ALERT_SOL,
      maximum: MAX_PRICE_SOL,
      description: `The price of one drink, in ${priceText}. The alert fires at it or under it`,
    }),
  }),
)

export const AlertSchema = Type.Object(
  {
    id: Id('The alert'),
    tokenType: TokenTypeSchema,
    below: Type.Number({ description: 'It fires when one drink is for sale at this price or under it, in SOL' }),
    createdAt: Timestamp('When it was set'),
    firedAt: Nullable(Timestamp('When it fired; null while it waits')),
    price: Nullable(Type.Number({ description: 'What the cheapest drink cost then, in SOL' })),
  },
  { title: 'Alert' },
)

const AlertReply = Type.Object({ alert: AlertSchema })

const keyText = (what: string, length: number) =>
  RequiredText(`${what} in URL-safe base64`, length, { description: `The browser’s ${what}, in URL-safe base64` })

const PushSubscription = Type.Object(
  {
    endpoint: RequiredText('an https URL', MAX_PUSH_ENDPOINT, { description: 'Where its push service takes messages: an https URL' }),
    keys: Type.Object({ p256dh: keyText('public key', 128), auth: keyText('authentication secret', 64) }, closed),
  },
  {
    ...closed,
    title: 'PushSubscription',
    description: 'What `PushSubscription.toJSON()` returns in the browser, without `expirationTime`',
  },
)

export const alertCalls = {
  createAlert: {
    summary: 'Be told when a drink is for sale at a price',
    description:
      'It fires once, when somebody else’s listing that can be bought now costs that much or less for each drink: also at once. Then the event ' +
      '`alert.fired` is sent to the wallet’s event streams, and a push to its browsers. The same price again, while it waits, is the same alert. ' +
      `A wallet has at most ${MAX_ALERTS}; a new one takes the place of the one that fired longest ago.`,
    body: Type.Object({ tokenType: requiredToken, below }, { ...closed, title: 'NewAlert' }),
    response: { 201: AlertReply },
    failures: ['TOKEN_TYPE_UNKNOWN', 'ALERT_PRICE_INVALID', 'BLOCKED', 'TOO_MANY_ALERTS'],
  },
  alerts: {
    summary: 'List your alerts, those that fired included',
    response: { 200: Type.Object({ alerts: Type.Array(AlertSchema, { description: 'The newest first', maxItems: MAX_ALERTS }) }) },
    failures: [],
  },
  deleteAlert: {
    summary: 'Delete one of your alerts',
    params: idParams('The alert'),
    response: { 200: AlertReply },
    failures: ['ALERT_NOT_FOUND'],
  },
  push: {
    summary: 'Read with which key to subscribe to pushes, and whether this session has',
    response: {
      200: Type.Object(
        {
          publicKey: Type.String({ description: 'The `applicationServerKey` for `PushManager.subscribe()`' }),
          endpoint: Nullable(Type.String({ description: 'Where the pushes of this session go; null if it has not subscribed' })),
        },
        { title: 'PushState' },
      ),
    },
    failures: [],
  },
  subscribePush: {
    summary: 'Have this browser show alerts and sales while no page is open',
    description:
      'By Web Push (RFC 8030), encrypted for the browser (RFC 8291). A subscription ends with its session, when its push service no longer ' +
      `knows it, or when another session subscribes the same browser; a wallet has those of its ${MAX_PUSH_SUBSCRIPTIONS} newest sessions. A ` +
      'push says which drink costs how much, or how many were sold, and nothing about the player.',
    body: PushSubscription,
    response: { 204: Type.Null() },
    failures: ['PUSH_SUBSCRIPTION_INVALID'],
  },
  unsubscribePush: {
    summary: 'Have this session’s browser show nothing more',
    response: { 204: Type.Null() },
    failures: [],
  },
} as const satisfies Record<string, CallSchema>
