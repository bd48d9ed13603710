import { type Platform } from '../../../wallet/platform.ts'

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
