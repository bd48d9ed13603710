import { MAX_CANDLES } from '@juicebar/contract/limits'

import { type Reads } from '../../database/connect.ts'
import { type CandleQuery, type CandleRow } from './candle.ts'

/** The candles of a range, oldest first, for all sales that are rolled up. */
export async function readCandles(reads: Reads, { tokenType, step, from, to }: CandleQuery): Promise<CandleRow[]> {
  const { rows } = await reads.query<CandleRow>({
    name: 'candles',
    text: `
      select start, open, high, low, close, amount, lamports, trades
      from candles where token_type = $1 and step = $2 and start >= $3 and start < $4
      order by start limit ${MAX_CANDLES + 1}`,
    values: [tokenType, step, from, to],
  })
  return rows
}
