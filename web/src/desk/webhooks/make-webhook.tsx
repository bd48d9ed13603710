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
export function MakeWebhook({ onMade }: { onMade: (secret: string) => void }) {
  const [url, setUrl] = useState('')
  const [events, setEvents] = useState(first)
  const begin = () => {
    setUrl('')
    setEvents(first)
  }
  const missing = events.length ? undefined : 'Tick at least one event.'
  return (
    <Act
      label="Make a webhook"
      kind="primary"
      title="Make a webhook"
      onBegin={begin}
      consequence="What happens from now on is posted to this address, each message at least once and in order. Its secret is shown once."
      reason={{ label: 'Why', hint: 'Only the log shows it.' }}
      doIt="Make the webhook"
      done="The webhook is made."
      signed
      problem={URL.canParse(url) ? missing : 'The address is a URL, such as https://game.example/market.'}
      act={(reason) => callSigned('createWebhook', { body: { url: url.trim(), events: [...events], reason } })}
      onDone={({ webhook }) => onMade(webhook.secret)}
    >
      <TextField
        type="url"
        label="Address"
        hint="It must be a public one."
        maxLength={MAX_WEBHOOK_URL}
        required
        value={url}
        onChange={setUrl}
      />
      <fieldset className="grid gap-3 sm:grid-cols-2">
        <legend className="mb-2 text-small font-semibold">Tell it of</legend>
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
