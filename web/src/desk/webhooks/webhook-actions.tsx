import { type Webhook } from '@juicebar/contract/schemas'

import { callSigned, callStudio } from '../api/studio-call.ts'
import { placeLink } from '../frame/places.ts'
import { Act } from '../parts/act.tsx'

const reason = { label: 'Reason', hint: 'Only shown in the log.' }

/** Switches a webhook on or off; one that is on and fails can be tried at once. */
export function SwitchWebhook({ webhook: { id, enabled, failedAttempts } }: { webhook: Webhook }) {
  const change = (next: boolean) => (why: string) => callStudio('changeWebhook', { params: { id }, body: { enabled: next, reason: why } })
  return (
    <>
      {(!enabled || failedAttempts > 0) && (
        <Act
          label={enabled ? 'Try now' : 'Switch on'}
          kind="primary"
          title={enabled ? 'Try at once' : 'Switch the webhook on'}
          consequence="The oldest message that waits is sent at once, with ten attempts again, and the others follow it in order."
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
          consequence="Nothing is sent to it any more. What happens meanwhile waits for 30 days, and is sent when it is on again."
          reason={reason}
          doIt="Switch off"
          done="The webhook is off."
          act={change(false)}
        />
      )}
    </>
  )
}

export function RotateWebhook({ id, onSecret }: { id: string; onSecret: (secret: string) => void }) {
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

export function DeleteWebhook({ id, url }: { id: string; url: string }) {
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

export function ReplayWebhook({ id, after }: { id: string; after: string }) {
  return (
    <Act
      label="Resend from here"
      title="Resend everything after this"
      consequence="Everything after this message is sent again, with the same webhook-ids, as far back as 30 days. A receiver that keeps the ids tells them apart. Messages before it that still wait are skipped."
      reason={reason}
      doIt="Send again"
      done="The messages are being resent."
      act={(why) => callStudio('replayWebhook', { params: { id }, body: { after, reason: why } })}
    />
  )
}
