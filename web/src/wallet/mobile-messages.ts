/** Words of the mobile wallet adapter (specification, section 8). */
export const mobileMessages = {
  notFoundTitle: "We can't find a wallet.",
  notFound: 'To use mobile wallet adapter, you must have a compatible mobile wallet application installed on your device.',
  incompatible:
    'This browser appears to be incompatible with mobile wallet adapter. Open this page in a compatible mobile browser app and try again.',
} as const
