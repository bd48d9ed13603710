import { solText } from '@juicebar/contract/money'
import { type Case, type PublicConfig } from '@juicebar/contract/schemas'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

import { asSentence, errorSentence } from '../../api/api-error.ts'
import { hasCode, isUnexplained } from '../../api/refusals.ts'
import { call } from '../../api/client.ts'
import { casesQuery } from '../../api/player-queries.ts'
import { configQuery, refreshMarket } from '../../api/queries.ts'
import { inMarketWords } from '../../catalogue/catalogue.ts'
import { dismissBanner, showBanner, showToast } from '../../feedback/notices.ts'
import { failsOnTwoSigners, PaymentFailed, rememberLoneSigner, signPayment, signsAlone } from '../../payment/sign-payment.ts'
import { submitPayment } from '../../payment/submit-payment.ts'
import { Button } from '../../ui/button.tsx'
import { formatAmount, formatSol } from '../../ui/format.ts'
import { WarningIcon } from '../../ui/icons.tsx'
import { useNow } from '../../ui/use-now.ts'
import { requireConnection, signsWithoutSending, transactionVersion } from '../../wallet/signatures.ts'
import { connectChosen } from '../../wallet/connect.ts'
import { type Connection, useWallet, WALLET_TIMEOUT_MS } from '../../wallet/wallet-store.ts'

/** Payments that went wrong and are not settled yet, for their buyer and their seller. */
export function OpenCases({ walletAddress }: { walletAddress: string }) {
  const { data = [] } = useQuery(casesQuery)
  return data
    .filter(({ status }) => status === 'open' || status === 'refunding')
    .map((subject) => <OpenCase key={subject.caseId} subject={subject} walletAddress={walletAddress} />)
}

function OpenCase({ subject, walletAddress }: { subject: Case; walletAddress: string }) {
  const connected = useWallet((wallet) => wallet.connected !== undefined)
  const { refund, mayLand } = useRefund(subject)
  const underWay = mayLand || subject.status === 'refunding'
  const { price, refundable } = subject
  const isSeller = subject.seller === walletAddress
  const isBuyer = subject.buyer === walletAddress
  return (
    <li className="card flex flex-wrap items-center gap-4 p-4">
      <span className="grid size-11 flex-none place-items-center rounded-full bg-warn/15 text-warn">
        <WarningIcon />
      </span>
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-semibold">{caseTitle(subject, isBuyer)}</p>
        <p className="text-small text-dim">{caseNews(subject, { isBuyer, underWay })}</p>
      </div>
      {isSeller && refundable && !underWay && (
        <Button kind="primary" small className="max-sm:w-full" onClick={connected ? refund : connectChosen}>
          {connected ? `Refund ${formatSol(price)} SOL` : 'Connect to refund'}
        </Button>
      )}
    </li>
  )
}

interface Refund {
  refund: () => void
  /** The refund may be on its way without the server knowing of it. */
  mayLand: boolean
}

/** The refund of one case; a failure goes to the banner. */
function useRefund(subject: Case): Refund {
  const client = useQueryClient()
  const { mutate } = useMutation({
    meta: { processing: 'Approve the refund in your wallet' },
    onMutate: dismissBanner,
    mutationFn: async () => refundCase(subject, await client.ensureQueryData(configQuery)),
    onSuccess: ({ mayLandUntil, warning }) => {
      if (mayLandUntil !== undefined) localStorage.setItem(mayLandKey(subject), String(mayLandUntil))
      if (warning) showBanner(warning)
      else showToast('The refund is on its way. The case closes when the network has finalized it.', 'good')
    },
    onError: (error) => showBanner(errorSentence(error, 'The refund failed')),
    onSettled: refreshMarket,
  })
  const now = useNow()
  return { refund: () => mutate(), mayLand: Number(localStorage.getItem(mayLandKey(subject))) > now }
}

/** Kept in local storage, so that it outlives a logout and a reload, and holds in other tabs. */
function mayLandKey({ caseId }: Case): string {
  return `refund ${caseId}`
}

type Told = Pick<Case, 'seller' | 'price' | 'fee' | 'amount' | 'tokenName' | 'explanation'>

/** What was paid, and for what. The fee concerns the buyer; if no seller was paid, there is nothing else to show. */
export function caseTitle({ seller, price, fee, amount, tokenName }: Told, isBuyer: boolean): string {
  const feeText = fee && `fee of ${solText(BigInt(fee.lamports))} SOL`
  const wanted = amount === null || tokenName === null ? inMarketWords('for drinks') : `for ${formatAmount(amount)} ${tokenName}`
  if (seller === null && feeText) return `A ${feeText} ${wanted}`
  return `${formatSol(price)} SOL ${feeText && isBuyer ? `and a ${feeText} ` : ''}${wanted}`
}

/** What happened, and what comes next. While the SOL is on its way back, the buyer is still told who owes the fee. */
export function caseNews({ fee, explanation }: Told, { isBuyer, underWay }: { isBuyer: boolean; underWay: boolean }): string {
  if (!underWay) return explanation
  const refund = 'The refund is on its way.'
  return fee && isBuyer ? `${refund} The fee of ${solText(BigInt(fee.lamports))} SOL is owed by the studio.` : refund
}

/** How long to keep submitting signed bytes without an answer, in milliseconds. */
const SUBMIT_TIMEOUT_MS = 30_000
/** How long signed bytes may still land, in milliseconds: a generous estimate. */
const MAY_LAND_MS = 120_000

export interface RefundOutcome {
  /** Until when the refund may land without the server knowing, by this browser's clock, so that it is not paid twice. */
  mayLandUntil: number | undefined
  /** What to tell the seller if it is not known whether SOL moved. */
  warning: string | undefined
}

/** The settings of the market that a refund depends on. */
type Market = Pick<PublicConfig, 'network' | 'refundCoSigner'>

/**
 * Pays a case's SOL back to its buyer: the server prepares the transaction, the seller's wallet signs it, and, if it can sign without sending,
 * the market as well.
 *
 * @throws Error with a sentence for the seller if nothing was paid
 */
export async function refundCase(subject: Case, market: Market): Promise<RefundOutcome> {
  try {
    const sent = await payBack(subject, market)
    return { mayLandUntil: sent === 'by the wallet' ? Date.now() + MAY_LAND_MS : undefined, warning: undefined }
  } catch (error) {
    if (error instanceof PaymentFailed && !error.nothingSigned) return { mayLandUntil: Date.now() + MAY_LAND_MS, warning: error.message }
    if (isUnexplained(error)) throw new Error(`${asSentence(error.message)} Your wallet was not asked, so no SOL moved.`, { cause: error })
    throw error
  }
}

type Sent = 'by the wallet' | 'by the server'

async function payBack(subject: Case, market: Market): Promise<Sent> {
  const connection = requireConnection()
  const { wallet } = connection
  const coSigned = market.refundCoSigner !== null && signsWithoutSending(wallet) && !signsAlone(wallet.name)
  try {
    return await send(subject, connection, { network: market.network, coSigned })
  } catch (error) {
    const isLoneSigner = failsOnTwoSigners(error)
    if (!coSigned || !(isLoneSigner || hasCode(error, 'CO_SIGN_OFF'))) throw error
    const sent = await send(subject, connection, { network: market.network, coSigned: false })
    if (isLoneSigner) rememberLoneSigner(wallet.name)
    return sent
  }
}

async function send(
  subject: Case,
  connection: Connection,
  { network, coSigned }: { network: PublicConfig['network']; coSigned: boolean },
): Promise<Sent> {
  const transaction = await prepare(subject, connection, coSigned)
  const payment = await signPayment(connection, {
    transaction,
    network,
    timeout: WALLET_TIMEOUT_MS,
    ifUnsure: 'If your wallet shows the refund as sent, do not send it again: we will find it on the chain and close the case.',
  })
  if ('sentAs' in payment) return 'by the wallet'
  await submitPayment({
    signed: payment.signed,
    submit: (bytes) => call('submitRefund', { params: { id: subject.caseId }, body: { transaction: bytes } }),
    timeout: SUBMIT_TIMEOUT_MS,
    ifUnanswered:
      'The server did not say what became of the refund, so it is not known yet whether SOL moved. Do not send it again: this page shows the outcome as soon as the server answers.',
  })
  return 'by the server'
}

/** @throws Error if the server prepared anything but the refund that the seller was shown */
async function prepare({ caseId, buyer, lamports }: Case, { wallet, account }: Connection, coSigned: boolean): Promise<Uint8Array> {
  const ask = () => call('prepareRefund', { params: { id: caseId }, body: { coSigned } })
  const [{ refundDetails }, { base64 }, { checkedRefund }] = await Promise.all([
    // The server waits for a payment that has just landed, but not for as long as the network may take to make it final.
    ask().catch((error: unknown) => (hasCode(error, 'PAYMENT_NOT_FINAL') ? ask() : Promise.reject(error))),
    import('@scure/base'),
    import('./refund-transaction.ts'),
  ])
  const { reference, coSigner } = refundDetails
  const terms = { from: account.address, to: buyer, lamports: BigInt(lamports), reference, coSigner }
  const transaction = checkedRefund(base64.decode(refundDetails.transaction), terms, transactionVersion(wallet))
  if (!transaction) throw new Error('The server prepared a different refund from the one shown. Your wallet was not asked; no SOL moved.')
  return transaction
}
