import { ConfigError } from '../settings/setting-reader.ts'
import { type Database } from '../database/connect.ts'
import { inTransaction } from '../database/transact.ts'
import { type Catalogue } from '../catalogue/catalogue.ts'
import { deleteUnused, findKnownItems, findOwned, lockCatalogues, type OwnedItem, renderListings, upsertItems } from './catalogue-store.ts'

/**
 * Writes the catalogue into the database, with the names that listings then show, and reads the names of items that have left it.
 *
 * @throws ConfigError if anyone owns an item that is not in the catalogue
 */
export async function recordCatalogue(database: Database, catalogue: Catalogue): Promise<void> {
  const known = await inTransaction(database, async (tx) => {
    await lockCatalogues(tx)
    const known = await findKnownItems(tx)
    const left = known.filter(({ code }) => !catalogue.item(code)).map(({ code }) => code)
    const owned = left.length === 0 ? [] : await findOwned(tx, left)
    if (owned.length > 0) throw new ConfigError(owned.map(refusal))
    await deleteUnused(tx, left)
    await upsertItems(tx, catalogue.items)
    const renamed = known.filter(({ code, name }) => (catalogue.item(code)?.name ?? name) !== name).map(({ code }) => code)
    if (renamed.length > 0) await renderListings(tx, renamed)
    return known
  })
  catalogue.addFormer(known)
}

function refusal({ code, name, inWallets, inListings }: OwnedItem): string {
  const amounts = [
    ...(inWallets > 0n ? [`${inWallets} in wallets`] : []),
    ...(inListings > 0n ? [`${inListings} in listings on the market`] : []),
  ].join(' and ')
  return (
    `${code} (${name}) is not in the catalogue, but players own it: ${amounts}. Put it back into the file of CATALOGUE, or debit it from ` +
    'everybody who has it before you take it out.'
  )
}
