import { type TokenType } from '@juicebar/contract/catalogue'
import { MAX_AMOUNT, MIN_AMOUNT } from '@juicebar/contract/limits'
import { useState } from 'react'

import { catalogue } from '../../catalogue/catalogue.ts'
import { inMarketWords } from '../../catalogue/in-market-words.ts'
import { formatAmount } from '../../ui/format.ts'
import { callSigned } from '../api/studio-call.ts'
import { Act } from '../parts/act.tsx'
import { SelectField, TextField } from '../parts/fields.tsx'

/** Gives drinks to a player, or takes them. */
export function MoveDrinks({ direction, walletAddress }: { direction: 'credit' | 'debit'; walletAddress: string }) {
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
