import { MIN_AMOUNT, MIN_PRICE_SOL, PRICE_STEP_SOL } from '@juicebar/contract/limits'
import { tokenName, type TokenType } from '@juicebar/contract/token-types'

import { Button } from '../../ui/button.tsx'
import { DrinkPlate } from '../../catalogue/drink-image.tsx'
import { formatAmount, formatUnitPrice } from '../../ui/format.ts'
import { Modal } from '../../ui/modal.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import { compareUnitPrice, escrowPreview } from './sell-form.ts'
import { useSellForm } from './use-sell-form.ts'

interface SellDialogProps {
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

function SellForm({ tokenType, balance, onClose }: Omit<SellDialogProps, 'open'>) {
  const { fields, change, problems, disabled, unitPrice, cheapest, submit, tellMissing } = useSellForm(tokenType, balance, onClose)
  return (
    <form noValidate className="mt-4 grid gap-4 sm:mt-5 sm:gap-5" onSubmit={submit}>
      <div className="flex items-center gap-4">
        <DrinkPlate tokenType={tokenType} className="h-24 w-20 flex-none rounded-field sm:h-28 sm:w-24" />
        <p className="text-title font-bold">
          {tokenName(tokenType)}
          <span className="figures block text-small font-normal text-dim">Balance: {formatAmount(balance)}</span>
        </p>
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
      <UnitPrice unitPrice={unitPrice} cheapest={cheapest} />
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

function UnitPrice({ unitPrice, cheapest }: { unitPrice: number | undefined; cheapest: number | undefined }) {
  const compared = unitPrice !== undefined && cheapest !== undefined ? compareUnitPrice(unitPrice, cheapest) : undefined
  return (
    <div className="figures grid min-h-22 content-center gap-1.5 rounded-field bg-well px-4 py-3 text-small" aria-live="polite">
      <dl className="grid gap-1.5">
        <div className="flex justify-between gap-3">
          <dt className="text-dim">One token</dt>
          <dd className="font-semibold whitespace-nowrap">{unitPrice === undefined ? '–' : `${formatUnitPrice(unitPrice)} SOL`}</dd>
        </div>
        <div className="flex justify-between gap-3">
          <dt className="text-dim">Cheapest on the market</dt>
          <dd className="font-semibold whitespace-nowrap">
            {cheapest === undefined ? 'none for sale' : `${formatUnitPrice(cheapest)} SOL`}
          </dd>
        </div>
      </dl>
      {compared && <p className={compared.farOff ? 'font-semibold text-warn' : 'text-dim'}>{compared.text}</p>}
    </div>
  )
}
