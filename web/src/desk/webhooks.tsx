import { type Reply } from '@juicebar/contract/calls'
import { MAX_WEBHOOK_URL, WEBHOOK_ATTEMPTS, WEBHOOK_DAYS } from '@juicebar/contract/limits'
import { type Webhook, type WebhookEvent } from '@juicebar/contract/schemas'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { inMarketWords } from '../catalogue/catalogue.ts'
import { formatAmount } from '../ui/format.ts'
import { callSigned, callStudio, deliveriesQuery, webhooksQuery } from './desk-queries.ts'
import { placeLink } from './frame/places.ts'
import { Act } from './parts/act.tsx'
import { TextField, Tick } from './parts/fields.tsx'
import { Moment, Secret } from './parts/names.tsx'
import { type Column, Pages, Table } from './parts/rows.tsx'
import { Fact, Facts, Part, Status } from './parts/section.tsx'
import { howLong, Nothing, Shown, useClock } from './parts/shown.tsx'
import { isBehind } from './today/figures.ts'

/** The receivers of the market's events and their progress; for one of them, its deliveries. */
export function Webhooks({ id }: { id: string }) {
  const query = useQuery(webhooksQuery)
  const [secret, setSecret] = useState<string>()
  return (
    <div className="grid gap-5">
      {secret && <Secret what="The secret of the webhook" secret={secret} onPutAway={() => setSecret(undefined)} />}
      <Shown query={query} what="The webhooks">
        {(webhooks) => {
          const shown = id ? webhooks.filter((webhook) => webhook.id === id) : webhooks
          return (
            <>
              {!id && (
                <div className="flex flex-wrap items-center justify-between gap-3">
                  <p className="max-w-prose text-small text-dim">The market posts signed events to these addresses, in order.</p>
                  <CreateWebhook onCreated={setSecret} />
                </div>
              )}
              {id && (
                <a href={placeLink('webhooks')} className="link justify-self-start text-small">
                  All webhooks
                </a>
              )}
              {shown.length === 0 && <Nothing>{id ? 'There is no such webhook any more.' : 'There is no webhook yet.'}</Nothing>}
              {shown.map((webhook) => (
                <WebhookCard key={webhook.id} webhook={webhook} open={id !== ''} onSecret={setSecret} />
              ))}
            </>
          )
        }}
      </Shown>
    </div>
  )
}

function WebhookCard({ webhook, open, onSecret }: { webhook: Webhook; open: boolean; onSecret: (secret: string) => void }) {
  const now = useClock()
  const { id, url, events, failedAttempts, waitingSince, nextAttemptAt, secretCount } = webhook
  const { word, tone } = webhookState(webhook, now)
  return (
    <>
      <Part
        title={new URL(url).host}
        about={
          <>
            <Status tone={tone}>{word}</Status> <span className="wrap-anywhere">{url}</span>
          </>
        }
        actions={
          <>
            <SwitchWebhook webhook={webhook} />
            <RotateWebhook id={id} onSecret={onSecret} />
            <DeleteWebhook id={id} url={url} />
          </>
        }
      >
        <Facts>
          <Fact name="Told of">{events.join(', ')}</Fact>
          <Fact name="Oldest message waits">{waitingSince ? howLong(waitingSince, now) : 'none waits'}</Fact>
          <Fact name="Failed attempts at it">{failedAttempts ? `${failedAttempts} of 10` : 'none'}</Fact>
          {nextAttemptAt && (
            <Fact name="Tried again">
              {Date.parse(nextAttemptAt) > now ? `in ${howLong(new Date(now).toISOString(), Date.parse(nextAttemptAt))}` : 'now'}
            </Fact>
          )}
          <Fact name="Secrets that are valid">{secretCount}</Fact>
        </Facts>
        {!open && (
          <a href={placeLink('webhooks', id)} className="link justify-self-start text-small">
            Deliveries
          </a>
        )}
      </Part>
      {open && <Deliveries id={id} />}
    </>
  )
}

const first: readonly WebhookEvent[] = ['sale.settled', 'sale.reversed']

/** Posts events to an address of the studio. */
function CreateWebhook({ onCreated }: { onCreated: (secret: string) => void }) {
  const [url, setUrl] = useState('')
  const [events, setEvents] = useState(first)
  const begin = () => {
    setUrl('')
    setEvents(first)
  }
  const missing = events.length ? undefined : 'Choose at least one event.'
  return (
    <Act
      label="Create webhook"
      kind="primary"
      title="Create a webhook"
      onBegin={begin}
      consequence="What happens from now on is posted to this address, each message at least once and in order. Its secret is shown once."
      doIt="Create webhook"
      done="Webhook created."
      signed
      problem={URL.canParse(url) ? missing : 'The address is a URL, such as https://game.example/market.'}
      act={(reason) => callSigned('createWebhook', { body: { url: url.trim(), events: [...events], reason } })}
      onDone={({ webhook }) => onCreated(webhook.secret)}
    >
      <TextField
        type="url"
        label="Address"
        hint="HTTP or HTTPS, without a user name or password. A private address needs WEBHOOK_ALLOW_PRIVATE=on."
        maxLength={MAX_WEBHOOK_URL}
        required
        value={url}
        onChange={setUrl}
      />
      <fieldset className="grid gap-3 sm:grid-cols-2">
        <legend className="mb-2 text-small font-semibold">Events</legend>
        {(Object.keys(eventHints) as WebhookEvent[]).map((event) => (
          <Tick
            key={event}
            label={event}
            hint={inMarketWords(eventHints[event])}
            checked={events.includes(event)}
            onChange={(checked) => setEvents((before) => (checked ? [...before, event] : before.filter((other) => other !== event)))}
          />
        ))}
      </fieldset>
    </Act>
  )
}

const reason = { label: 'Reason', hint: 'Only shown in the log.' }

/** Switches a webhook on or off; one that is on and fails can be tried at once. */
function SwitchWebhook({ webhook: { id, enabled, failedAttempts } }: { webhook: Webhook }) {
  const change = (next: boolean) => (why: string) => callStudio('changeWebhook', { params: { id }, body: { enabled: next, reason: why } })
  return (
    <>
      {(!enabled || failedAttempts > 0) && (
        <Act
          label={enabled ? 'Try now' : 'Switch on'}
          kind="primary"
          title={enabled ? 'Try at once' : 'Switch the webhook on'}
          consequence={`The oldest message that waits is sent at once, with ${WEBHOOK_ATTEMPTS} attempts again, and the others follow it in order.`}
          reason={reason}
          doIt={enabled ? 'Try now' : 'Switch on'}
          done={enabled ? 'The webhook is tried at once.' : 'The webhook is on.'}
          act={change(true)}
        />
      )}
      {enabled && (
        <Act
          label="Switch off"
          title="Switch the webhook off"
          consequence={`Nothing is sent to it any more. What happens meanwhile waits for ${WEBHOOK_DAYS} days, and is sent when it is on again.`}
          reason={reason}
          doIt="Switch off"
          done="The webhook is off."
          act={change(false)}
        />
      )}
    </>
  )
}

function RotateWebhook({ id, onSecret }: { id: string; onSecret: (secret: string) => void }) {
  return (
    <Act
      label="Rotate secret"
      title="Rotate the secret"
      consequence="For 24 hours messages are signed with both secrets, then only with the new one. It is shown once: give it to the receiver before that."
      reason={reason}
      doIt="Rotate secret"
      done="Secret rotated."
      signed
      act={(why) => callSigned('rotateWebhook', { params: { id }, query: { reason: why } })}
      onDone={({ webhook }) => onSecret(webhook.secret)}
    />
  )
}

function DeleteWebhook({ id, url }: { id: string; url: string }) {
  return (
    <Act
      label="Delete"
      title="Delete the webhook"
      consequence={
        <>
          Nothing is sent to <span className="wrap-anywhere">{url}</span> any more. What still waits, its secrets and the record of what was
          sent are gone for good.
        </>
      }
      reason={reason}
      doIt="Delete"
      done="Webhook deleted."
      act={(why) => callStudio('deleteWebhook', { params: { id }, query: { reason: why } })}
      onDone={() => {
        location.assign(placeLink('webhooks'))
      }}
    />
  )
}

function ReplayWebhook({ id, after }: { id: string; after: string }) {
  return (
    <Act
      label="Resend from here"
      title="Resend everything after this"
      consequence={`Everything after this message is sent again, with the same webhook-ids, as far back as ${WEBHOOK_DAYS} days. A receiver that keeps the ids tells them apart. Messages before it that still wait are skipped.`}
      reason={reason}
      doIt="Send again"
      done="The messages are being resent."
      act={(why) => callStudio('replayWebhook', { params: { id }, body: { after, reason: why } })}
    />
  )
}

type Delivery = Reply<'webhookDeliveries'>['deliveries'][number]

/** What was sent to a webhook, and what it answered. */
function Deliveries({ id }: { id: string }) {
  const query = useInfiniteQuery(deliveriesQuery(id))
  return (
    <Part title="Deliveries" about="Every attempt, newest first.">
      <Pages query={query} what="The deliveries" nothing="Nothing sent yet.">
        {(deliveries) => <Table caption="Deliveries" columns={deliveryColumns(id)} rows={deliveries} keyOf={(delivery) => delivery.id} />}
      </Pages>
    </Part>
  )
}

function deliveryColumns(webhookId: string): readonly Column<Delivery>[] {
  return [
    { name: 'Sent', cell: ({ sentAt }) => <Moment at={sentAt} /> },
    { name: 'Event', cell: ({ type, messageId }) => <span title={messageId}>{type}</span> },
    { name: 'Attempt', figures: true, cell: ({ attempt }) => attempt },
    { name: 'Reply', cell: (delivery) => <Answer delivery={delivery} /> },
    { name: 'ms', figures: true, cell: ({ latencyMillis }) => formatAmount(latencyMillis) },
    { name: 'Resend', action: true, cell: ({ messageId }) => <ReplayWebhook id={webhookId} after={messageId} /> },
  ]
}

function Answer({ delivery: { delivered, status, error, answer } }: { delivery: Delivery }) {
  return (
    <span className="grid gap-0.5">
      <Status tone={delivered ? 'good' : 'warn'}>{status ?? 'No answer'}</Status>
      {(error ?? answer) && <span className="line-clamp-2 text-tiny text-dim wrap-anywhere">{error ?? answer}</span>}
    </span>
  )
}

/** What the events of a webhook mean, in the order of the form. */
const eventHints: Record<WebhookEvent, string> = {
  'sale.settled': 'Drinks were paid and delivered',
  'sale.reversed': 'The chain has undone a payment',
  'checkout.completed': 'A checkout was paid and delivered',
  'checkout.expired': 'Nobody paid a checkout in time',
  'case.opened': 'A payment did not end in a delivery',
  'case.closed': 'A case was closed',
  'listing.created': 'A listing entered the market',
  'listing.removed': 'A listing was removed unsold',
}

const offWords: Record<NonNullable<Webhook['switchedOff']>, string> = {
  asked: 'Off',
  gone: 'Off: the receiver said it is gone',
  failed: `Off: ${WEBHOOK_ATTEMPTS} attempts failed`,
}

type Stands = Pick<Webhook, 'enabled' | 'switchedOff' | 'failedAttempts' | 'waitingSince'>

/** The state of a webhook, in a few words. */
export function webhookState(webhook: Stands, now: number): { word: string; tone: 'good' | 'warn' | 'plain' } {
  if (!webhook.enabled) {
    const reason = webhook.switchedOff ?? 'asked'
    return { word: offWords[reason], tone: reason === 'asked' ? 'plain' : 'warn' }
  }
  if (isBehind(webhook, now)) return { word: webhook.failedAttempts ? 'Fails' : 'Behind', tone: 'warn' }
  return { word: 'Up to date', tone: 'good' }
}
