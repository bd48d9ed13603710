import { messages } from '@juicebar/contract/messages'
import { type TokenType } from '@juicebar/contract/catalogue'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'

import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { cheapestQuery, configQuery } from '../../api/queries.ts'
import { useNotices } from '../../feedback/use-notices.ts'
import { isIncomplete, isMissing, matchingPrice, type SellFields, sellProblems, unitPriceOf } from './sell-form.ts'
import { isRuleBroken, useCreateListing } from './use-create-listing.ts'

interface Seller {
  walletAddress: string
  /** How many of the drink the wallet has. */
  balance: number
  onListed: () => void
}

/** The sell form for one drink: its fields, their problems, and how its price compares with the market. */
export function useSellForm(tokenType: TokenType, { walletAddress, balance, onListed }: Seller) {
  const [fields, setFields] = useState<SellFields>({ amount: '', price: '', divisible: true })
  const idempotencyKey = useRef('')
  const cheapest = useQuery({ ...cheapestQuery(tokenType, walletAddress), meta: { quiet: true } })
  const { data: config } = useQuery(configQuery)
  const problems = sellProblems(fields, balance)
  const { showToast } = useNotices()
  const { mutate: createListing, error, reset } = useCreateListing()

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isIncomplete(fields)) return
    const problem = problems.amount ?? problems.price
    if (problem) showToast(problem, 'bad')
    else {
      const { divisible } = fields
      const body = { tokenType, price: Number(fields.price), amount: Number(fields.amount), divisible }
      createListing({ body, idempotencyKey: (idempotencyKey.current ||= newIdempotencyKey()) }, { onSuccess: onListed })
    }
  }
  // While List Item is disabled, Enter submits nothing, so missing fields are reported here.
  const tellMissing = () => isMissing(fields) && showToast(messages.fieldsMissing, 'bad')
  return {
    fields,
    change: (change: Partial<SellFields>) => {
      // A new offer gets a new key; the same offer keeps its key, even if the seller tries again.
      idempotencyKey.current = ''
      reset()
      setFields((current) => ({ ...current, ...change }))
    },
    problems,
    disabled: isIncomplete(fields),
    unitPrice: problems.amount || problems.price ? undefined : unitPriceOf(fields),
    cheapest: cheapest.data ?? undefined,
    matching: cheapest.data ? matchingPrice(fields.amount, cheapest.data) : undefined,
    brokenRule: isRuleBroken(error) ? error.message : undefined,
    feeBasisPoints: config?.fee.basisPoints ?? 0,
    submit,
    tellMissing,
  }
}
