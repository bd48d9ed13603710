import { queryClient } from '../../api/query-client.ts'

/** Any port of the mobile wallet protocol makes the browser ask (specification, section 9). */
const PROBE = 'ws://localhost:49152'
const PERMISSION = 'loopback-network'
/** How long the person may take to answer the browser, in milliseconds: as long as a mobile wallet session (specification, section 9). */
const ANSWER_MS = 30_000

/**
 * Has the browser ask whether this page may reach a wallet on the same phone, under the Processing overlay. The mobile wallet adapter would
 * ask in a window of its own, with styles and fonts from elsewhere.
 *
 * @returns what to tell the person if the wallet cannot be reached; undefined if it can
 */
export function requestLocalNetwork(): Promise<string | undefined> {
  const meta = { processing: 'Tap “Allow” so that this page can reach your wallet' }
  return queryClient.getMutationCache().build(queryClient, { meta, mutationFn: findProblem }).execute(undefined)
}

async function findProblem(): Promise<string | undefined> {
  const permission = await readPermission()
  if (permission?.state === 'prompt') await askInBrowser(permission)
  return !permission || permission.state === 'granted' ? undefined : localNetworkBlocked
}

/** @returns undefined in browsers that do not know this permission: they never ask */
async function readPermission(): Promise<PermissionStatus | undefined> {
  try {
    return await navigator.permissions.query({ name: PERMISSION as PermissionName })
  } catch {
    return undefined
  }
}

async function askInBrowser(permission: PermissionStatus): Promise<void> {
  const probe = new WebSocket(PROBE)
  await new Promise((resolve) => {
    permission.addEventListener('change', resolve, { once: true })
    setTimeout(resolve, ANSWER_MS)
  })
  probe.close()
}

/** Sentences of the mobile wallet adapter (specification, section 8). */
export const mobileMessages = {
  notFoundTitle: "We can't find a wallet.",
  notFound: 'To use mobile wallet adapter, you must have a compatible mobile wallet application installed on your device.',
  incompatible:
    'This browser appears to be incompatible with mobile wallet adapter. Open this page in a compatible mobile browser app and try again.',
} as const

/** Our own sentence: the browser keeps pages away from apps on the same device. */
const localNetworkBlocked =
  'This browser does not let the page reach a wallet on this device. Allow local network access for this page in the browser’s site settings, then try again.'
