import { loginMessage } from '@juicebar/contract/messages'

/** The text that a wallet signs for a nonce. */
export type LoginText = (nonce: string) => string

/** The host comes from the settings, never from a request: otherwise a phishing proxy could choose the host that its victims sign for. */
export function createLoginText(productName: string, publicOrigin: string): LoginText {
  const { host } = new URL(publicOrigin)
  return (nonce) => loginMessage(productName, host, nonce)
}
