import { type Transaction } from 'kysely'
import { chunks, RequestBatch } from '../runtime/request-batch.ts'
import { type Database } from './connect.ts'
import { isOutdatedPlan } from './database-pool.ts'
import { refusalOf, sqlState } from '../runtime/database-failures.ts'
import { type DB } from './schema.ts'

/** Most questions in one statement. */
const QUESTIONS_PER_STATEMENT = 100
/** A statement that takes longer than this, for example because its connection died silently, does not delay the next one. */
const PATIENCE_MILLIS = 100

/**
 * A read that many callers send at the same time: all callers that ask while it is under way share the next statement, which is sent after
 * the last of them asked. So every answer is as fresh as that of a separate statement, and a caller that asks while none is under way does
 * not wait. A failed statement fails for all that share it, so nothing that locks or writes may be sent this way.
 *
 * @param text reads its questions from one array for each parameter of a question, and returns each row with the question's number:
 *   `select asked.n::integer as n, ... from unnest($1::uuid[], $2::text[]) with ordinality as asked(id, wallet, n) ...`
 * @param parametersOf what the arrays contain of one question. It must not be possible to make the statement fail with it.
 * @returns a function that asks one question and returns its rows
 */
export function batchedStatement<Question extends object, Row>(
  text: string,
  parametersOf: (question: Question) => readonly unknown[],
): (database: Database, question: Question) => Promise<Row[]> {
  const read = async (database: Database, questions: readonly Question[]): Promise<[Question, Row[]][]> => {
    const answers = questions.map((question): [Question, Row[]] => [question, []])
    for (const row of await database.runStatement<Row & { n: number }>(text, transpose(questions.map(parametersOf)))) {
      answers[row.n - 1]?.[1].push(row)
    }
    return answers
  }
  const batches = new WeakMap<Database, RequestBatch<Question, Row[]>>()
  const open = (database: Database) => {
    const readAll = async (questions: readonly Question[]) =>
      new Map((await Promise.all(chunks(questions, QUESTIONS_PER_STATEMENT).map((chunk) => read(database, chunk)))).flat())
    const batch = new RequestBatch(readAll, { patienceMillis: PATIENCE_MILLIS })
    batches.set(database, batch)
    return batch
  }
  return async (database, question) => (await (batches.get(database) ?? open(database)).ask([question])).get(question) ?? []
}

function transpose(rows: readonly (readonly unknown[])[]): unknown[][] {
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column]))
}

export type Tx = Transaction<DB>

const ATTEMPTS = 5
/** Serialization failure and deadlock: the database rolled back, and the transaction can be repeated (PostgreSQL, appendix A). */
const conflicts = new Set(['40001', '40P01'])

/**
 * Runs `work` in one READ COMMITTED transaction, and repeats it after a deadlock, a serialization failure or a migration: it must not
 * touch anything but the database.
 * @throws Failure if the database refuses the caller's request
 */
export async function inTransaction<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return withRetry(() => database.transaction().execute(work))
}

/**
 * Repeats one transaction, or one statement, after a deadlock, a serialization failure or a migration, at most 5 times in all.
 * @throws Failure as `inTransaction`
 */
export async function withRetry<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction()
    } catch (error) {
      if (attempt === ATTEMPTS || !isRepeatable(error)) throw refusalOf(error) ?? error
    }
  }
}

function isRepeatable(error: unknown): boolean {
  return conflicts.has(sqlState(error) ?? '') || isOutdatedPlan(error)
}
