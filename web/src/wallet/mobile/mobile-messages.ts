/** Sentences of the mobile wallet adapter (specification, section 8). */
export const mobileMessages = {
  notFoundTitle: "We can't find a wallet.",
  notFound: 'To use mobile wallet adapter, you must have a compatible mobile wallet application installed on your device.',
  incompatible:
    'This browser appears to be incompatible with mobile wallet adapter. Open this page in a compatible mobile browser app and try again.',
} as const

/** Our own sentence: the browser keeps pages away from apps on the same device. */
export const localNetworkBlocked =
  'This browser does not let the page reach a wallet on this device. Allow local network access for this page in the browser’s site settings, then try again.'
