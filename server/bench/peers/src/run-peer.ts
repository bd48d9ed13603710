import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo } from 'node:net'

import { type PeerSettings } from './market.js'

/** Starts a peer with the settings that its parent process sends, and tells the parent its port. */
export async function runPeer(create: (settings: PeerSettings) => Promise<RequestListener>): Promise<void> {
  process.once('disconnect', () => process.exit())
  const [settings]: PeerSettings[] = await once(process, 'message')
  if (!settings) throw new Error('a peer needs settings')
  const server = createServer(await create(settings))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.send?.((server.address() as AddressInfo).port)
}
