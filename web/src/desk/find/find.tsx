import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { balanceKey, type TokenType } from '@juicebar/contract/catalogue'
import { MAX_AMOUNT, MIN_AMOUNT } from '@juicebar/contract/limits'
import { type Block, type Player } from '@juicebar/contract/schemas'
import { useState } from 'react'

import { ApiError } from '../../api/api-error.ts'
import { catalogue, inMarketWords, MOST_SIDE_BY_SIDE } from '../../catalogue/catalogue.ts'
import { formatAmount } from '../../ui/format.ts'
import { CaseList } from '../cases.tsx'
import { callSigned, callStudio, casesQuery, playerQuery, purchaseQuery, purchasesQuery, useMay } from '../desk-queries.ts'
import { Act, Unblock } from '../parts/act.tsx'
import { SelectField, TextField, Tick } from '../parts/fields.tsx'
import { Copyable, DrinkName, Moment } from '../parts/names.tsx'
import { type Column, Pages, Table } from '../parts/rows.tsx'
import { Fact, Facts, Part, Status } from '../parts/section.tsx'
import { Nothing, Shown, useClock } from '../parts/shown.tsx'
import { PurchaseCard, PurchaseRows } from './purchase-card.tsx'
import { readSearch } from './search-field.tsx'

/** The search result, of any kind. */
export function Find({ text }: { text: string }) {
  if (!text) return <Hints />
  const search = readSearch(text)
  if (!search) {
    return (
      <Nothing>
        “{text}” is none of what can be found here: a wallet’s address, a purchase’s or a listing’s id, or the signature of a transaction.
        An explorer’s link to one of them will do.
      </Nothing>
    )
  }
  switch (search.kind) {
    case 'wallet':
      return <PlayerView key={search.walletAddress} walletAddress={search.walletAddress} />
    case 'purchase':
      return <ById key={search.purchaseId} id={search.purchaseId} />
    case 'transaction':
      return <ByTransaction key={search.signature} signature={search.signature} />
  }
}

function Hints() {
  return (
    <div className="grid gap-6">
      <Nothing>
        Paste what the player has: a wallet’s address, a purchase’s id, or the signature of a transaction. You see what happened to it, step
        by step, and what it waits for.
      </Nothing>
      <StuckHolds />
    </div>
  )
}

/** A purchase; if there is none of this id, those of the listing. */
function ById({ id }: { id: string }) {
  const query = useQuery(purchaseQuery(id))
  const unknown = query.error instanceof ApiError && query.error.code === 'PURCHASE_NOT_FOUND'
  if (unknown) return <OfListing listingId={id} />
  return (
    <Shown query={query} what="The purchase">
      {(purchase) => <PurchaseCard purchase={purchase} />}
    </Shown>
  )
}

function OfListing({ listingId }: { listingId: string }) {
  const query = useInfiniteQuery(purchasesQuery({ listingId }))
  return (
    <Pages
      query={query}
      what="The purchases of this listing"
      nothing="There is no purchase of this id, and no purchase of a listing of this id."
    >
      {(purchases) => <PurchaseRows purchases={purchases} />}
    </Pages>
  )
}

function ByTransaction({ signature }: { signature: string }) {
  const query = useInfiniteQuery(purchasesQuery({ signature }))
  return (
    <div className="grid gap-5">
      <Pages query={query} what="The purchases of this transaction" nothing="This transaction belongs to no purchase of this market.">
        {(purchases) => purchases.map((purchase) => <PurchaseCard key={purchase.purchaseId} purchase={purchase} />)}
      </Pages>
    </div>
  )
}

/** Purchases that are held now; those that only the studio can end are marked. */
function StuckHolds() {
  const query = useInfiniteQuery(purchasesQuery({ status: 'held' }))
  return (
    <Part title="Open right now" about="Purchases that wait for their payment, or for what the chain says about it.">
      <Pages query={query} what="The open purchases" nothing="Nobody is buying anything right now.">
        {(purchases) => <PurchaseRows purchases={purchases} showWaiting />}
      </Pages>
    </Part>
  )
}

/** What a player has, and what happened to them. */
function PlayerView({ walletAddress }: { walletAddress: string }) {
  const player = useQuery(playerQuery(walletAddress))
  const purchases = useInfiniteQuery(purchasesQuery({ wallet: walletAddress }))
  const cases = useInfiniteQuery(casesQuery({ wallet: walletAddress, status: 'all' }))
  return (
    <div className="grid gap-5">
      <Shown query={player} what="The player">
        {(read) => <PlayerCard player={read} />}
      </Shown>
      <Part title="Purchases and sales" about="Newest first.">
        <Pages query={purchases} what="The purchases" nothing="This wallet has neither bought nor sold anything.">
          {(items) => <PurchaseRows purchases={items} />}
        </Pages>
      </Part>
      <Part title="Cases" about="Payments to or from this wallet that did not end in a delivery.">
        <Pages query={cases} what="The cases" nothing="There is no case with this wallet.">
          {(items) => <CaseList cases={items} />}
        </Pages>
      </Part>
    </div>
  )
}

function PlayerCard({ player }: { player: Player }) {
  const { walletAddress, createdAt, openPurchases, openCases, block } = player
  const mayBlock = useMay('rules')
  const mayCredit = useMay('credit')
  const mayDebit = useMay('debit')
  return (
    <Part
      title="Player"
      about={
        <Status tone={block ? 'warn' : createdAt ? 'good' : 'plain'}>
          {block ? 'Blocked' : createdAt ? 'Active' : 'Has never signed in'}
        </Status>
      }
      actions={
        <>
          {mayCredit && <MoveDrinks direction="credit" walletAddress={walletAddress} />}
          {mayDebit && <MoveDrinks direction="debit" walletAddress={walletAddress} />}
          {mayBlock && <BlockActions walletAddress={walletAddress} block={block} />}
        </>
      }
    >
      <div className="text-small">
        <Copyable label="the address" text={walletAddress} />
      </div>
      {block && (
        <p className="rounded-field bg-warn/12 px-4 py-3 text-small wrap-anywhere">
          <b className="font-semibold">Blocked</b> since <Moment at={block.since} />
          {block.until ? (
            <>
              , until <Moment at={block.until} />
            </>
          ) : (
            ', until somebody ends it'
          )}
          {block.removeListings && ', with its listings taken off the market'}: {block.reason}
        </p>
      )}
      <Facts>
        <Fact name="First signed in">{createdAt ? <Moment at={createdAt} /> : 'never'}</Fact>
        <Fact name="Buying right now">{formatAmount(openPurchases)}</Fact>
        <Fact name="Open cases">{formatAmount(openCases)}</Fact>
      </Facts>
      <Drinks player={player} />
    </Part>
  )
}

interface DrinkRow {
  type: string
  name: string
  has: number
  forSale: number
}

const columns: readonly Column<DrinkRow>[] = [
  { name: 'Drink', cell: ({ type, name }) => <DrinkName type={type} name={name} /> },
  { name: 'Has', figures: true, cell: ({ has }) => formatAmount(has) },
  { name: 'For sale', figures: true, cell: ({ forSale }) => formatAmount(forSale) },
]

/** Of many items, those that the player has or sells come first. */
function Drinks({ player: { balances, listed } }: { player: Player }) {
  const { items } = catalogue()
  const many = items.length > MOST_SIDE_BY_SIDE
  const all = items.map(({ code, name }) => {
    const key = balanceKey(code)
    return { type: code, name, has: balances[key] ?? 0, forSale: listed[key] ?? 0 }
  })
  const owns = ({ has, forSale }: DrinkRow) => has + forSale > 0
  const rows = many ? [...all.filter(owns), ...all.filter((row) => !owns(row))] : all
  return <Table short={many} caption="Drinks" columns={columns} rows={rows} keyOf={({ type }) => type} />
}

/** Blocks a player, or ends the block. */
function BlockActions({ walletAddress, block }: { walletAddress: string; block: Block | null }) {
  return (
    <>
      <BlockPlayer walletAddress={walletAddress} again={block !== null} />
      {block && <Unblock walletAddress={walletAddress} />}
    </>
  )
}

function BlockPlayer({ walletAddress, again }: { walletAddress: string; again: boolean }) {
  const [until, setUntil] = useState('')
  const [removes, setRemoves] = useState(false)
  const now = useClock()
  const end = until ? new Date(until) : undefined
  const begin = () => {
    setUntil('')
    setRemoves(false)
  }
  return (
    <Act
      label={again ? 'Change block' : 'Block'}
      title={again ? 'Change the block' : 'Block this player'}
      onBegin={begin}
      consequence={
        <>
          From now on the player can neither list nor buy, on every server. What is paid is still delivered; they can still remove their
          listings, pay for what they hold, and refund.
          {removes &&
            inMarketWords(
              ' Their listings leave the market at once, and the drinks return to them; what is being bought right now is sold or returned when its hold ends.',
            )}
        </>
      }
      reason={{ label: 'Reason', hint: 'Shown to the player.' }}
      doIt="Block"
      done="The player is blocked."
      problem={end && end.getTime() <= now ? 'The block would be over already: choose a later end.' : undefined}
      act={(reason) =>
        callStudio('blockWallet', {
          params: { wallet: walletAddress },
          body: { reason, removeListings: removes, ...(end && { until: end.toISOString() }) },
        })
      }
    >
      <TextField
        type="datetime-local"
        label="Until"
        hint="In your time zone. Leave empty to block until somebody ends it."
        value={until}
        onChange={setUntil}
      />
      <Tick label="Remove their listings from the market" checked={removes} onChange={setRemoves} />
    </Act>
  )
}

/** Gives drinks to a player, or takes them. */
function MoveDrinks({ direction, walletAddress }: { direction: 'credit' | 'debit'; walletAddress: string }) {
  const [tokenType, setTokenType] = useState<TokenType>(catalogue().items[0]?.code ?? '')
  const [amount, setAmount] = useState('')
  // One for each time the form is opened: asking again after a lost reply moves nothing twice.
  const [idempotencyKey, setIdempotencyKey] = useState('')
  const gives = direction === 'credit'
  const wanted = Number(amount)
  const valid = Number.isInteger(wanted) && wanted >= MIN_AMOUNT && wanted <= MAX_AMOUNT
  const what = valid ? `${formatAmount(wanted)} ${catalogue().nameOf(tokenType)}` : inMarketWords('the drinks')
  const begin = () => {
    setAmount('')
    setIdempotencyKey(`desk-${crypto.randomUUID()}`)
  }
  const act = (reason: string) =>
    callSigned(gives ? 'studioCredit' : 'studioDebit', { body: { walletAddress, tokenType, amount: wanted, idempotencyKey, reason } })
  return (
    <Act
      label={gives ? 'Credit' : 'Debit'}
      title={inMarketWords(gives ? 'Give drinks to this player' : 'Take drinks from this player')}
      onBegin={begin}
      consequence={
        gives
          ? `This creates ${what} for the player, who can sell them at once. Only a debit takes them back.`
          : `${what.replace(/^t/, 'T')} leave the player and the market for good. Listings that are for sale are not touched.`
      }
      doIt={gives ? 'Credit' : 'Debit'}
      done={inMarketWords(gives ? 'The drinks are credited.' : 'The drinks are debited.')}
      signed
      problem={valid ? undefined : `The amount is a whole number from ${MIN_AMOUNT} to ${formatAmount(MAX_AMOUNT)}.`}
      act={act}
    >
      <SelectField
        label={inMarketWords('Drink')}
        options={catalogue().items.map(({ code, name }) => ({ value: code, label: name }))}
        chosen={tokenType}
        onChoose={setTokenType}
      />
      <TextField label="Amount" inputMode="numeric" value={amount} onChange={setAmount} required />
    </Act>
  )
}
