import { formatAmount, formatSol, formatUnitPrice } from '../../../ui/format.ts'
import { candleTime } from './candle-words.ts'
import { type ChartData } from './frame.ts'

const columns = ['Time', 'First', 'High', 'Low', 'Last', 'Traded', 'SOL', 'Trades'] as const

/** The numbers behind a chart, newest first. */
export function CandleTable({ data: { candles, frame }, label }: { data: ChartData; label: string }) {
  return (
    // It scrolls, so keyboard users must be able to reach it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div role="region" aria-label={label} tabIndex={0} className="max-h-110 overflow-auto rounded-field">
      <table className="figures w-full text-right text-small whitespace-nowrap">
        <caption className="sr-only">{label}: the price of one in SOL, what was traded and for how much</caption>
        <thead className="sticky top-0 bg-card text-dim">
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" className="px-3 py-2 font-semibold first:text-left">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {candles.toReversed().map((candle) => (
            <tr key={candle.start}>
              <th scope="row" className="px-3 py-2 text-left font-semibold">
                {candleTime(candle, frame.step)}
              </th>
              {[candle.open, candle.high, candle.low, candle.close].map((price, index) => (
                <td key={columns[index + 1]} className="px-3 py-2">
                  {formatUnitPrice(price)}
                </td>
              ))}
              <td className="px-3 py-2">{formatAmount(candle.amount)}</td>
              <td className="px-3 py-2">{formatSol(candle.sol)}</td>
              <td className="px-3 py-2">{formatAmount(candle.trades)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
