import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

import { serverSentence } from '../../api/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { platformOf } from '../../wallet/wallet.ts'
import { pushKey, pushQuery } from './alert-calls.ts'
import { canNotify, notificationState, type NotificationState, readEndpoint, stateTexts, subscribe, unsubscribe } from './browser-pushes.ts'

/** Whether this browser notifies while the page is closed, and the switch for it. */
export function NotificationPart({ walletAddress }: { walletAddress: string }) {
  const { state, failed, busy, problem, turnOn, turnOff } = useNotifications(walletAddress)
  const text = state
    ? stateTexts[state]
    : failed
      ? 'Could not check whether notifications are on.'
      : 'Checking whether notifications are on…'
  return (
    <section aria-labelledby="notifications-title" className="grid gap-3 border-t border-line pt-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-56" aria-live="polite">
          <h3 id="notifications-title" className="text-small font-semibold">
            Notifications{state === 'on' && ': on'}
          </h3>
          <p className="mt-0.5 text-tiny text-dim">{text}</p>
        </div>
        {state === 'off' && (
          <Button small disabled={busy} onClick={turnOn}>
            {busy ? 'Turning on…' : 'Turn on'}
          </Button>
        )}
        {state === 'on' && (
          <Button small disabled={busy} onClick={turnOff}>
            {busy ? 'Turning off…' : 'Turn off'}
          </Button>
        )}
      </div>
      {problem && !busy && (
        <p role="alert" className="text-small font-semibold text-warn">
          {problem}
        </p>
      )}
    </section>
  )
}

const NOT_ON = 'They could not be switched on: this browser’s push service cannot be reached. Please try again.'
const NOT_OFF = 'They could not be switched off. Please try again.'

interface Notifications {
  /** Undefined until the server has answered. */
  state: NotificationState | undefined
  /** The state is unknown. */
  failed: boolean
  busy: boolean
  /** Why the last switch failed, as a sentence. */
  problem: string | undefined
  turnOn: () => void
  turnOff: () => void
}

/** Whether this browser shows the signed-in player's pushes, and how to change that. */
function useNotifications(walletAddress: string): Notifications {
  const client = useQueryClient()
  const capable = canNotify()
  const push = useQuery({ ...pushQuery, ...(!capable && { enabled: false }) })
  const browser = useQuery({
    queryKey: [...pushKey, 'browser'],
    queryFn: async () => ({ permission: Notification.permission, endpoint: (await readEndpoint()) ?? null }),
    ...(!capable && { enabled: false }),
    refetchOnWindowFocus: 'always',
    meta: { quiet: true },
  })
  const onSettled = () => client.invalidateQueries({ queryKey: pushKey })
  const turnOn = useMutation({
    // This comes first, because browsers only ask in response to a click.
    mutationFn: async (publicKey: string) => {
      if ((await Notification.requestPermission()) === 'granted') await subscribe(walletAddress, publicKey)
    },
    onSettled,
  })
  const turnOff = useMutation({ mutationFn: () => unsubscribe(walletAddress), onSettled })

  const facts = push.data &&
    browser.data && { ...browser.data, endpoint: browser.data.endpoint ?? undefined, sessionEndpoint: push.data.endpoint }
  const platform = platformOf(navigator)
  const none = { permission: 'default' as const, endpoint: undefined, sessionEndpoint: null }
  return {
    state: facts || !capable ? notificationState({ capable, platform, ...(facts ?? none) }) : undefined,
    failed: push.isError || browser.isError,
    busy: turnOn.isPending || turnOff.isPending,
    problem: turnOn.error ? serverSentence(turnOn.error, NOT_ON) : turnOff.error ? serverSentence(turnOff.error, NOT_OFF) : undefined,
    turnOn: () => {
      turnOff.reset()
      if (push.data) turnOn.mutate(push.data.publicKey)
    },
    turnOff: () => {
      turnOn.reset()
      turnOff.mutate()
    },
  }
}
