import { type Line } from './comparison.ts'

/** Ratios below this are of a hundredth or so. */
const SMALL_RATIO = 0.1

/** Whether a line reached its goal. */
export function isMet({ ratio, goal }: Line): boolean {
  return 'least' in goal ? ratio >= goal.least : ratio <= goal.most
}

/** All lines as a table for a terminal. */
export function renderTable(lines: readonly Line[]): string {
  const rows = lines.map((line) => [
    line.name,
    `${short(line.ours)} ${line.unit}`,
    line.reference,
    `${short(line.theirs)} ${line.unit}`,
    line.ratio.toFixed(line.ratio < SMALL_RATIO ? 4 : 2),
    line.spread?.map((ratio) => ratio.toFixed(4)).join(' to ') ?? '',
    'least' in line.goal ? `>= ${line.goal.least}` : `<= ${line.goal.most}`,
    isMet(line) ? 'met' : 'missed',
    short(line.p50),
    short(line.p99),
  ])
  const all = [['line', 'ours', 'reference', 'its figure', 'ratio', 'half of them', 'goal', '', 'p50 ms', 'p99 ms'], ...rows]
  return renderRows(all)
}

/** Rows of cells, their columns aligned. */
export function renderRows(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function short(value: number): string {
  if (Number.isNaN(value)) return '-'
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value < SMALL_RATIO ? 4 : 2)
}
