import { type TokenType } from '@juicebar/contract/catalogue'
import { MIN_AMOUNT, MIN_PRICE_SOL, PRICE_STEP_SOL } from '@juicebar/contract/limits'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'

import { catalogue, inMarketWords } from '../../catalogue/catalogue.ts'
import { DrinkPlate } from '../../catalogue/drink-image.tsx'
import { depthQuery, summaryQuery } from '../../figures/figure-queries.ts'
import { useLiveFigures } from '../../figures/live-figures.ts'
import { NumberField } from '../../ui/amount/number-field.tsx'
import { Button } from '../../ui/button.tsx'
import { formatAmount, formatRate, formatSol, formatUnitPrice } from '../../ui/format.ts'
import { Modal } from '../../ui/modal.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import { cheaperText, compareUnitPrice, escrowPreview, useSellForm } from './sell-form.ts'

interface SellDialogProps {
  walletAddress: string
  tokenType: TokenType
  balance: number
  open: boolean
  onClose: () => void
}

/** The Sell Tokens dialog. */
export function SellDialog({ open, onClose, ...drink }: SellDialogProps) {
  return (
    <Modal open={open} title="Sell Tokens" onClose={onClose}>
      <SellForm {...drink} onClose={onClose} />
    </Modal>
  )
}

function SellForm({ tokenType, walletAddress, balance, onClose }: Omit<SellDialogProps, 'open'>) {
  const form = useSellForm(tokenType, { walletAddress, balance, onListed: onClose })
  const { fields, change, problems, disabled, unitPrice, submit, tellMissing } = form
  return (
    <form noValidate className="mt-4 grid gap-4 sm:mt-5 sm:gap-5" onSubmit={submit}>
      <div className="flex items-center gap-4">
        <DrinkPlate tokenType={tokenType} className="h-24 w-20 flex-none rounded-field sm:h-28 sm:w-24" />
        <div className="min-w-0">
          <p className="text-title font-bold">
            {catalogue().nameOf(tokenType)}
            <span className="figures block text-small font-normal text-dim">Balance: {formatAmount(balance)}</span>
          </p>
          {form.cheapest && <MatchLowest price={form.matching} onMatch={(price) => change({ price })} />}
        </div>
      </div>
      <div className="grid grid-cols-2 gap-3 sm:gap-4">
        <NumberField
          label="Token Amount"
          min={MIN_AMOUNT}
          max={balance}
          step={1}
          inputMode="numeric"
          value={fields.amount}
          problem={problems.amount}
          onChange={(amount) => change({ amount })}
          onEnter={tellMissing}
        />
        <NumberField
          label="Price (SOL)"
          min={MIN_PRICE_SOL}
          step={PRICE_STEP_SOL}
          inputMode="decimal"
          value={fields.price}
          problem={problems.price}
          onChange={(price) => change({ price })}
          onEnter={tellMissing}
        />
      </div>
      <PartsSwitch checked={fields.divisible} onChange={(divisible) => change({ divisible })} />
      <Terms
        tokenType={tokenType}
        price={Number(fields.price)}
        unitPrice={unitPrice}
        cheapest={form.cheapest?.unitPrice}
        isOwnCheapest={form.cheapest?.seller === walletAddress}
        feeBasisPoints={form.feeBasisPoints}
      />
      {form.brokenRule && (
        <p role="alert" className="text-small font-semibold text-warn">
          {form.brokenRule}
        </p>
      )}
      <p className="min-h-11 text-small text-dim">{unitPrice !== undefined && escrowPreview(tokenType, Number(fields.amount), balance)}</p>
      <div className="grid grid-cols-[auto_1fr] gap-3">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={disabled}>
          List Item
        </Button>
      </div>
    </form>
  )
}

/** Takes the lowest price now, in one press. It is beside the picture, because a phone has no room below the fields. */
function MatchLowest({ price, onMatch }: { price: string | undefined; onMatch: (price: string) => void }) {
  const id = useId()
  return (
    <>
      <Button
        small
        className="mt-1"
        disabled={price === undefined}
        aria-describedby={id}
        onClick={() => price !== undefined && onMatch(price)}
      >
        Match the lowest price
      </Button>
      <span id={id} className="sr-only">
        {price === undefined ? 'Enter an amount first.' : `${price} SOL for all of them.`}
      </span>
    </>
  )
}

/** How long to wait after the last key before the price is compared, in milliseconds, so that a half-typed number is not compared. */
const TYPING_MS = 400

interface TermsProps {
  tokenType: TokenType
  /** For the whole amount, in SOL. */
  price: number
  /** Undefined until amount and price are valid. */
  unitPrice: number | undefined
  cheapest: number | undefined
  /** Nobody else sells as cheaply as the seller already does. */
  isOwnCheapest: boolean
  feeBasisPoints: number
}

/** What the seller receives, and how the price compares with the others. */
function Terms({ tokenType, price, unitPrice, cheapest, isOwnCheapest, feeBasisPoints }: TermsProps) {
  useLiveFigures()
  const depth = useQuery(depthQuery(tokenType))
  const summary = useQuery(summaryQuery)
  const last = summary.data?.find((item) => item.tokenType === tokenType)?.last
  const settled = useDebounced(unitPrice, TYPING_MS)
  const compared = unitPrice !== undefined && settled === unitPrice && cheapest !== undefined && compareUnitPrice(unitPrice, cheapest)
  const valid = unitPrice !== undefined
  return (
    <div className="figures grid gap-1.5 rounded-field bg-well px-4 py-3 text-small">
      <dl className="grid gap-1.5">
        <Row label="You receive">{valid ? `${formatSol(price)} SOL` : '–'}</Row>
        <Row label={inMarketWords('For each drink')}>{valid ? `${formatUnitPrice(unitPrice)} SOL` : '–'}</Row>
        <Row label="Lowest price">
          {cheapest === undefined ? 'none for sale' : `${formatUnitPrice(cheapest)} SOL each${isOwnCheapest ? ', yours' : ''}`}
        </Row>
        <Row label="For sale at a lower price">
          {depth.isError ? 'unknown' : depth.data && valid ? cheaperText(depth.data, unitPrice) : '–'}
        </Row>
        <Row label="Last sold for">
          {typeof last === 'number'
            ? `${formatUnitPrice(last)} SOL each`
            : summary.isError
              ? 'unknown'
              : last === null
                ? 'never sold'
                : '–'}
        </Row>
      </dl>
      <p className={`min-h-5.5 ${compared && compared.farOff ? 'font-semibold text-warn' : 'text-dim'}`} aria-live="polite">
        {compared && compared.text}
      </p>
      {feeBasisPoints > 0 && <p className="text-tiny text-dim">The buyer pays the studio’s fee of {formatRate(feeBasisPoints)} on top.</p>}
    </div>
  )
}

function Row({ label, children }: { label: string; children: string }) {
  return (
    <div className="flex justify-between gap-3">
      <dt className="text-dim">{label}</dt>
      <dd className="font-semibold whitespace-nowrap">{children}</dd>
    </div>
  )
}

interface PartsSwitchProps {
  checked: boolean
  onChange: (checked: boolean) => void
}

/** Whether buyers may take a part of the listing. */
function PartsSwitch({ checked, onChange }: PartsSwitchProps) {
  const id = useId()
  return (
    <div className="relative flex items-center justify-between gap-4">
      <div>
        <label htmlFor={id} className="cursor-pointer text-small font-semibold after:absolute after:inset-0">
          May be bought in parts
        </label>
        <p id={`${id}-hint`} className="text-tiny text-dim">
          Buyers may take fewer than all of them, at the same price for each.
        </p>
      </div>
      <input
        id={id}
        type="checkbox"
        role="switch"
        className="switch"
        aria-describedby={`${id}-hint`}
        checked={checked}
        aria-checked={checked}
        onChange={(event) => onChange(event.target.checked)}
      />
    </div>
  )
}
