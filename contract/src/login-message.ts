/** The two-line message that a wallet signs. `host` is the host of the public origin, never of the request. */
export function loginMessage(productName: string, host: string, nonce: string): string {
  return `Log in to ${productName} Marketplace at ${host}\nNonce: ${nonce}`
}
