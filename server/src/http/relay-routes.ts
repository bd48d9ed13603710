import { type Api } from './api/route.ts'

/** POST /rpc: relays one JSON-RPC request to the chain. */
export function relayRoutes(api: Api, relay: (request: unknown) => Promise<string>): void {
  api.open('rpc', 'rpc', async ({ request, sendJson }) => sendJson(await relay(request.body)))
}
