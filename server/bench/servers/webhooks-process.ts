import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import { pino } from 'pino'
import { catalogue } from '../databases/catalogue.ts'
import { connectDatabase } from '../../src/database/connect.ts'
import { createFailureLog } from '../../src/runtime/outage.ts'
import { createPoster } from '../../src/outgoing/post-message.ts'
import { startWebhooks } from '../../src/studio/webhooks/run-webhooks.ts'

/** Serves the webhooks of a database, and is their receivers, too. Tells its parent their URLs, and how many messages came when asked. */
const [, , databaseUrl = '', receivers = '3'] = process.argv
process.once('disconnect', () => process.exit())

let received = 0
const urls = await Promise.all(
  Array.from({ length: Number(receivers) }, async () => {
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        received++
        response.writeHead(204).end()
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }),
)
const log = pino({ level: 'error' })
const { database } = connectDatabase(databaseUrl, () => undefined)
startWebhooks({
  database,
  catalogue,
  publicOrigin: 'http://localhost',
  poster: createPoster({ allowPrivate: true }),
  log,
  failures: createFailureLog(log),
})
process.on('message', () => process.send?.(received))
process.send?.(urls)
