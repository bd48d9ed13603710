import { call, writeJwt } from '../api/client.ts'
import { signMessage } from '../wallet/signatures.ts'
import { withTimeout } from '../wallet/wallet-error.ts'
import { type Connection, useWallet, WALLET_TIMEOUT_MS } from '../wallet/wallet-store.ts'
import { loginReason, signedOut, useSession } from './session-store.ts'

/**
 * Proves to the server that the wallet belongs to the person: has the wallet sign a nonce, and keeps the JWT that the server returns.
 *
 * @throws WalletError or ApiError
 */
export async function signIn({ wallet, account, connection }: Connection): Promise<void> {
  useSession.setState({ ...signedOut, loading: true })
  try {
    const walletAddress = account.address
    const { message } = await call('requestNonce', { body: { walletAddress } })
    const bytes = await withTimeout(signMessage(wallet, account, message), WALLET_TIMEOUT_MS)
    const { base58 } = await import('@scure/base')
    const { token, user } = await call('verifySignature', { body: { walletAddress, signature: base58.encode(bytes) } })
    if (useWallet.getState().connected?.connection !== connection) {
      useSession.setState(signedOut)
      return
    }
    writeJwt(token)
    useSession.setState({ ...signedOut, authorization: 'signed-in', user })
  } catch (error) {
    useSession.setState({ ...signedOut, error: loginReason(error) })
    throw error
  }
}
