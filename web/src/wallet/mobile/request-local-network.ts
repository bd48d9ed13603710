import { localNetworkBlocked } from './mobile-messages.ts'
import { mobileProblem } from './mobile-problem.ts'

/** Any port of the mobile wallet protocol will do to have the browser ask (specification, section 9). */
const PROBE = 'ws://localhost:49152'
const PERMISSION = 'loopback-network'
/** How long the user may take to answer the browser, in milliseconds: as long as a mobile wallet session (specification, section 9). */
const ANSWER_MS = 30_000

/**
 * Sees to it that the browser lets this page speak to a wallet on the same phone, and says so where it does not. The mobile wallet
 * adapter would ask in a window of its own that brings styles and fonts from elsewhere. Gives whether the wallet may be reached.
 */
export async function mayReachPhone(): Promise<boolean> {
  const permission = await readPermission()
  if (permission?.state === 'prompt') await haveBrowserAsk(permission)
  if (!permission || permission.state === 'granted') return true
  mobileProblem.set(localNetworkBlocked)
  return false
}

/** Undefined in browsers that do not know this permission: they ask nothing. */
async function readPermission(): Promise<PermissionStatus | undefined> {
  try {
    return await navigator.permissions.query({ name: PERMISSION as PermissionName })
  } catch {
    return undefined
  }
}

async function haveBrowserAsk(permission: PermissionStatus): Promise<void> {
  const probe = new WebSocket(PROBE)
  await new Promise((resolve) => {
    permission.addEventListener('change', resolve, { once: true })
    setTimeout(resolve, ANSWER_MS)
  })
  probe.close()
}
