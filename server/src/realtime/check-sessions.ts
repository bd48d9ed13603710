import { type Session } from '../http/api/route.ts'

/** How long streams continue while sessions cannot be checked: only a long outage ends them. */
const UNCHECKED_MILLIS = 60_000

/** Returns those of the given session ids that are alive. */
export type FindLiveSessions = (ids: string[]) => Promise<ReadonlySet<string>>

interface SessionCheck<Reader> {
  readers: Iterable<Reader>
  findLiveSessions: FindLiveSessions
  /** Ends a stream whose session is dead. */
  end: (reader: Reader) => void
  /** Ends a stream whose session's state is unknown. */
  giveUp: (reader: Reader) => void
  /** Returns monotonic milliseconds. */
  clock?: () => number
}

/**
 * Returns a check, to be repeated, that ends the streams of dead sessions. While sessions cannot be checked it rejects, and gives up all
 * signed-in streams once that has lasted for a minute.
 */
export function createSessionCheck<Reader extends { session: Session | undefined }>({
  readers,
  findLiveSessions,
  end,
  giveUp,
  clock = () => performance.now(),
}: SessionCheck<Reader>): () => Promise<void> {
  let checkedAt = clock()
  return async () => {
    const startedAt = clock()
    const signedIn = [...readers].flatMap((reader) => (reader.session ? [{ reader, id: reader.session.id }] : []))
    try {
      const live = signedIn.length > 0 ? await findLiveSessions(signedIn.map(({ id }) => id)) : new Set()
      checkedAt = startedAt
      for (const { reader, id } of signedIn) if (!live.has(id)) end(reader)
    } catch (error) {
      if (clock() - checkedAt > UNCHECKED_MILLIS) for (const { reader } of signedIn) giveUp(reader)
      throw error
    }
  }
}
