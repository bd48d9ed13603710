/** The columns with the alias of their table, for a query that joins several: `p.id`. */
export function columnsOf<Alias extends string, Column extends string>(alias: Alias, columns: readonly Column[]): `${Alias}.${Column}`[] {
  return columns.map((column) => `${alias}.${column}` as const)
}

/** The same as SQL text, for statements that are not built: `p.listing_id, p.buyer`. */
export function columnsSql(alias: string, columns: readonly string[]): string {
  return columnsOf(alias, columns)
    .map((column) => column.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
    .join(', ')
}

/** Columns that may all be missing from a row, as after an outer join. */
export type Nullable<T> = { [Column in keyof T]: T[Column] | null }
