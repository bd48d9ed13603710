import { Ledger } from './ledger.ts'
import { serveLedger } from './serve-ledger.ts'

/** The child process: a chain whose slots take as long as the parent says, on the port that it gives. It ends with its parent. */

const FIRST_SLOT = 100_000

const [port = 0, slotMillis] = process.argv.slice(2).map(Number)
const ledger = new Ledger(FIRST_SLOT)

process.on('disconnect', () => process.exit(0))
setInterval(() => ledger.nextSlot(), slotMillis)
await serveLedger(ledger, port)
process.send?.('ready')
