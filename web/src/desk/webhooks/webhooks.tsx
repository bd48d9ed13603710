import { type Webhook } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { webhooksQuery } from '../api/desk-queries.ts'
import { placeLink } from '../frame/places.ts'
import { howLong } from '../parts/moments.ts'
import { Fact, Facts, Part, Status } from '../parts/section.tsx'
import { Secret } from '../parts/secret.tsx'
import { Nothing, Shown } from '../parts/shown.tsx'
import { useClock } from '../parts/use-clock.ts'
import { Deliveries } from './deliveries.tsx'
import { CreateWebhook } from './create-webhook.tsx'
import { DeleteWebhook, RotateWebhook, SwitchWebhook } from './webhook-actions.tsx'
import { webhookState } from './webhook-words.ts'

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
