import { type Catalogue } from '../../catalogue/catalogue.ts'
import { type Database } from '../../database/connect.ts'
import { inTransaction } from '../../database/transact.ts'
import { lockRestrictions, replaceRules } from '../../restrictions/restriction-change-store.ts'
import { listRules } from '../../restrictions/restriction-store.ts'
import { rulesText, type TokenRule } from '../../restrictions/rule.ts'
import { insertLogEntry } from '../studio-log-store.ts'

interface NewRules {
  rules: readonly TokenRule[]
  /** Names the drinks in the log. */
  catalogue: Pick<Catalogue, 'nameOf'>
  reason: string | undefined
  actor: string
}

/** Replaces the rules of all drinks. When this returns, no listing or hold that the former rules allowed is still in progress. */
export async function recordRules(database: Database, { rules, catalogue, reason, actor }: NewRules): Promise<TokenRule[]> {
  return inTransaction(database, async (tx) => {
    await lockRestrictions(tx)
    await replaceRules(tx, rules)
    const words = rulesText(rules, catalogue)
    await insertLogEntry(tx, { actor, call: 'setRules', subject: 'rules', reason: reason === undefined ? words : `${reason} (${words})` })
    return listRules(tx)
  })
}
