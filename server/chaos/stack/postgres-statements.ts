/** Of PostgreSQL's protocol 3.0: the only messages of a client that have no letter are those before it. */
const PROTOCOL_3 = 196_608
const LENGTH_BYTES = 4

/**
 * Reads what a client sends to PostgreSQL on one connection, in whatever pieces it arrives.
 * @returns a function that takes the next piece, and returns the texts of the statements that it orders, in their order
 */
export function createStatementReader(): (bytes: Buffer) => string[] {
  /** The texts of prepared statements by their names; of the last one without, by an empty name. */
  const prepared = new Map<string, string>()
  let rest: Buffer = Buffer.alloc(0)
  let hasBegun = false

  function read(type: string, body: Buffer): string | undefined {
    const [first = '', second = ''] = body.toString('utf8').split('\0', 2)
    switch (type) {
      case 'Q':
        return first
      case 'P':
        prepared.set(first, second)
        return undefined
      case 'B':
        return prepared.get(second)
      default:
        return undefined
    }
  }

  return (bytes) => {
    const statements: string[] = []
    rest = Buffer.concat([rest, bytes])
    for (;;) {
      const letters = hasBegun ? 1 : 0
      if (rest.length < letters + LENGTH_BYTES) return statements
      const end = letters + rest.readUInt32BE(letters)
      if (rest.length < end) return statements
      const body = rest.subarray(letters + LENGTH_BYTES, end)
      const statement = hasBegun ? read(rest.toString('latin1', 0, 1), body) : undefined
      if (statement !== undefined) statements.push(statement)
      hasBegun ||= body.readUInt32BE() === PROTOCOL_3
      rest = rest.subarray(end)
    }
  }
}
