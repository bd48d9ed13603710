import { type Api } from './api/route.ts'

/** POST /rpc: hands one JSON-RPC request to the chain, and its reply back as it is. */
export function relayRoute(api: Api, relay: (request: unknown) => Promise<string>): void {
  api.open('rpc', 'rpc', async ({ request, sendJson }) => sendJson(await relay(request.body)))
}
