import { messages } from '@juicebar/contract/messages'
import { type TokenType } from '@juicebar/contract/token-types'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'

import { cheapestQuery } from '../../api/queries.ts'
import { showToast } from '../../feedback/notices.ts'
import { createListing } from './use-create-listing.ts'
import { isIncomplete, isMissing, type SellFields, sellProblems, unitPriceOf } from './sell-form.ts'

/** The sell form of one drink: its fields, what is wrong with them, and how the price compares. */
export function useSellForm(tokenType: TokenType, balance: number, onListed: () => void) {
  const [fields, setFields] = useState<SellFields>({ amount: '', price: '' })
  const cheapest = useQuery({ ...cheapestQuery(tokenType), meta: { quiet: true } })
  const problems = sellProblems(fields, balance)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isIncomplete(fields)) return
    const problem = problems.amount ?? problems.price
    if (problem) showToast(problem, 'bad')
    else if (await createListing(tokenType, Number(fields.price), Number(fields.amount))) onListed()
  }
  // A browser submits nothing at Enter while List Item is disabled, so what is missing is told here.
  const tellMissing = () => isMissing(fields) && showToast(messages.fieldsMissing, 'bad')
  return {
    fields,
    change: (change: Partial<SellFields>) => setFields((current) => ({ ...current, ...change })),
    problems,
    disabled: isIncomplete(fields),
    unitPrice: problems.amount || problems.price ? undefined : unitPriceOf(fields),
    cheapest: cheapest.data?.unitPrice,
    submit,
    tellMissing,
  }
}
