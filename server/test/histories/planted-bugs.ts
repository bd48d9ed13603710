import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import pg from 'pg'

import { type SolanaChain } from '../../src/chain/client/solana-chain.ts'
import { functionsFolder } from '../support/migrations-folder.ts'

/** A mistake in what the servers do. */
export interface PlantedBug {
  name: string
  /** One of the contradictions to which it leads. */
  finds: RegExp
  /** In one of the SQL functions. */
  sql?: { file: string; right: string; wrong: string }
  /** In the servers' client of the chain. */
  chain?: (chain: SolanaChain) => Partial<Pick<SolanaChain, 'broadcast' | 'statuses'>>
}

/** Each of them is a mistake that somebody could make, and that the checker of histories has to find. */
export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'a delivery makes a token more than was sold',
    finds: /: has \d+ instead of \d+$/,
    sql: {
      file: 'settle.sql',
      right: 'select purchase.buyer, token_type, sum(amount) from sold group by',
      wrong: 'select purchase.buyer, token_type, sum(amount) + 1 from sold group by',
    },
  },
  {
    name: 'a delivery goes to the seller',
    finds: /: has \d+ instead of \d+$/,
    sql: {
      file: 'settle.sql',
      right: 'select purchase.buyer, token_type, sum(amount) from sold group by',
      wrong: 'select purchase.sellers[1], token_type, sum(amount) from sold group by',
    },
  },
  {
    name: 'what was delivered stays for sale',
    finds: / left, after \d+ of \d+ were delivered,| were sold$/,
    sql: {
      file: 'settle.sql',
      right: "update listings l set status = 'sold', closed_at = now(), held_by = null",
      wrong: "update listings l set status = 'active', held_by = null",
    },
  },
  {
    name: 'a reservation does not bind what it reserves',
    finds: /nobody got anything for it$/,
    sql: {
      file: 'reservations.sql',
      right: 'update listings set held_by = purchase.id, held_until = p_until where id = l.id',
      wrong: 'update listings set held_by = null where id = l.id',
    },
  },
  {
    name: 'a removal returns nothing',
    finds: /: has \d+ instead of \d+$/,
    sql: {
      file: 'ledger.sql',
      right: "if p_kind in ('credit', 'return', 'sale') then",
      wrong: "if p_kind in ('credit', 'sale') then",
    },
  },
  {
    name: 'a removal that was acknowledged is not made',
    finds: / is for sale, although it was removed$/,
    sql: {
      file: 'listings.sql',
      right: '  new.reply_json := render_listing(new);',
      wrong:
        "  if new.status = 'removed' then new.status := old.status; new.closed_at := null; end if; new.reply_json := render_listing(new);",
    },
  },
  {
    name: 'a change of price that was acknowledged is not made',
    finds: / saw the price \d+, which it did not have,/,
    sql: {
      file: 'listings.sql',
      right: 'update listings set price_lamports = p_lamports, priced_amount = amount, priced_lamports = p_lamports,',
      wrong: 'update listings set priced_amount = amount, priced_lamports = price_lamports,',
    },
  },
  {
    name: 'what is for sale is not taken from its seller',
    finds: /: has \d+ instead of \d+$/,
    sql: {
      file: 'ledger.sql',
      right: 'update balances set amount = amount - p_amount',
      wrong: 'update balances set amount = amount',
    },
  },
  {
    name: 'a part is not taken from what is left',
    finds: / left, after \d+ of \d+ were delivered,| were sold$/,
    sql: {
      file: 'listings.sql',
      right: 'set amount = amount - part.amount, price_lamports = share_cost(l, amount - part.amount)',
      wrong: 'set amount = amount, price_lamports = share_cost(l, amount)',
    },
  },
  {
    name: 'a payment counts before it is on the chain',
    finds: / was delivered, but not paid for as agreed$/,
    chain: (chain) => ({
      broadcast: async () => undefined,
      statuses: async (signatures) => {
        const slot = await chain.highestSlot()
        return new Map(signatures.map((signature) => [signature, { slot, commitment: 'finalized', failed: false }]))
      },
    }),
  },
  {
    name: 'what is shown of a listing is never refreshed',
    finds: / saw .* of listing /,
    sql: {
      file: 'listings.sql',
      right: '  new.reply_json := render_listing(new);',
      wrong: "  if tg_op = 'INSERT' then new.reply_json := render_listing(new); end if;",
    },
  },
]

/** Replaces the right functions of a file by those with the mistake. @throws Error if the right line is not there */
export async function plantInSql(databaseUrl: string, { file, right, wrong }: NonNullable<PlantedBug['sql']>): Promise<void> {
  const functions = await readFile(join(functionsFolder, file), 'utf8')
  if (!functions.includes(right)) throw new Error(`${file} does not hold: ${right}`)
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(functions.replace(right, wrong))
  await client.end()
}
