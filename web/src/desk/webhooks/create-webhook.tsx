import { MAX_WEBHOOK_URL } from '@juicebar/contract/limits'
import { type WebhookEvent } from '@juicebar/contract/schemas'
import { useState } from 'react'

import { inMarketWords } from '../../catalogue/in-market-words.ts'
import { callSigned } from '../api/studio-call.ts'
import { Act } from '../parts/act.tsx'
import { TextField, Tick } from '../parts/fields.tsx'
import { eventChoices } from './webhook-words.ts'

const first: readonly WebhookEvent[] = ['sale.settled', 'sale.reversed']

/** Posts events to an address of the studio. */
export function CreateWebhook({ onCreated }: { onCreated: (secret: string) => void }) {
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
        {eventChoices.map(({ event, hint }) => (
          <Tick
            key={event}
            label={event}
            hint={inMarketWords(hint)}
            checked={events.includes(event)}
            onChange={(checked) => setEvents((before) => (checked ? [...before, event] : before.filter((other) => other !== event)))}
          />
        ))}
      </fieldset>
    </Act>
  )
}
