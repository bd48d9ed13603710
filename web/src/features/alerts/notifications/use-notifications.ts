import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

import { pushKey, pushQuery } from '../alert-calls.ts'
import { serverSentence } from '../../../api/api-error.ts'
import { platformOf } from '../../../wallet/platform.ts'
import { canNotify, readEndpoint, subscribe, unsubscribe } from './browser-pushes.ts'
import { type NotificationState, notificationState } from './notifications.ts'

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
export function useNotifications(walletAddress: string): Notifications {
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
