import { type Body } from '@juicebar/contract/calls'

import { type Platform } from '../../wallet/wallet.ts'
import { registerWorker } from '../../worker/register-worker.ts'
import { callAlerts } from './alert-calls.ts'

/** The local storage key of those who switched notifications on in this browser: they stay on after their next sign-in. */
const wantedKey = (walletAddress: string) => `notifications:${walletAddress}`

/** Whether this browser can show pushes at all; only over https, and on localhost. */
export function canNotify(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window
}

/** Where this browser's pushes go; undefined if it has not subscribed. */
export async function readEndpoint(): Promise<string | undefined> {
  const registration = await navigator.serviceWorker.getRegistration('/')
  return (await registration?.pushManager.getSubscription())?.endpoint
}

/**
 * Subscribes this browser for the signed-in player. Permission must already be granted.
 *
 * @throws ApiError if the server refuses, and DOMException if the browser's push service does
 */
export async function subscribe(walletAddress: string, publicKey: string): Promise<void> {
  await registerWorker()
  const { pushManager } = await navigator.serviceWorker.ready
  const subscription = await subscribeWith(pushManager, publicKey)
  await callAlerts('subscribePush', { body: bodyOf(subscription) })
  localStorage.setItem(wantedKey(walletAddress), 'on')
}

/** A subscription made for another key, such as before the database was replaced, is made again. */
async function subscribeWith(pushManager: PushManager, publicKey: string): Promise<PushSubscription> {
  const options = { userVisibleOnly: true, applicationServerKey: publicKey }
  try {
    return await pushManager.subscribe(options)
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== 'InvalidStateError') throw error
    await (await pushManager.getSubscription())?.unsubscribe()
    return await pushManager.subscribe(options)
  }
}

/** Ends this session's pushes. @throws ApiError */
export async function unsubscribe(walletAddress: string): Promise<void> {
  localStorage.removeItem(wantedKey(walletAddress))
  await callAlerts('unsubscribePush', {})
  const registration = await navigator.serviceWorker.getRegistration('/')
  await (await registration?.pushManager.getSubscription())?.unsubscribe()
}

/** Whether this player has switched notifications on in this browser and has not withdrawn the permission. */
export function wantsNotifications(walletAddress: string): boolean {
  return canNotify() && Notification.permission === 'granted' && localStorage.getItem(wantedKey(walletAddress)) === 'on'
}

function bodyOf(subscription: PushSubscription): Body<'subscribePush'> {
  const { endpoint = '', keys = {} } = subscription.toJSON()
  return { endpoint, keys: { p256dh: keys['p256dh'] ?? '', auth: keys['auth'] ?? '' } }
}

/**
 * unsupported: this browser cannot show any. install: only once the page is on the home screen. denied: the person or the browser's
 * administrator does not allow any. off: they can be switched on. on: this session's pushes come to this browser.
 */
export type NotificationState = 'unsupported' | 'install' | 'denied' | 'off' | 'on'

/** What the browser and the server report. */
export interface NotificationFacts {
  /** It has service workers, pushes and notifications. */
  capable: boolean
  platform: Platform
  permission: NotificationPermission
  /** Where the browser's pushes go; undefined if it has not subscribed. */
  endpoint: string | undefined
  /** Where the session's pushes go, by the server. */
  sessionEndpoint: string | null
}

export function notificationState(facts: NotificationFacts): NotificationState {
  if (!facts.capable) return facts.platform === 'ios' ? 'install' : 'unsupported'
  if (facts.permission === 'denied') return 'denied'
  const isOn = facts.permission === 'granted' && facts.endpoint !== undefined && facts.endpoint === facts.sessionEndpoint
  return isOn ? 'on' : 'off'
}

/** What the dialog says in each state. */
export const stateTexts: Record<NotificationState, string> = {
  unsupported: 'This browser does not support notifications. You are told here while the page is open, and when you come back.',
  install:
    'On an iPhone or iPad, add this page to your home screen first; there it can notify you. Until then you are told while it is open.',
  denied: 'Notifications of this page are blocked. Allow them in the browser’s settings for this page, then come back here.',
  off: 'Get notified of alerts and sales, even while the page is closed.',
  on: 'This browser tells you of alerts and of what you sell, also while the page is closed, until you log out.',
}
