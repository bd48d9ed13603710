import { createUpstream, listenForCalls, sendAnswer } from '../../server/chaos/chain-faults/rpc-http.ts'
import { resultText, sentSignature } from '../../server/chaos/chain-faults/rpc-messages.ts'

/** An endpoint of a chain that takes payments and keeps them to itself, until it is told to hand them on. */
export interface SlowEndpoint {
  rpcUrl: string
  /** How many payments it has taken and not handed on. */
  kept(): number
  /** Hands on what it is sent from now on: a server sends again what has not landed. */
  handOn(): void
  stop(): Promise<void>
}

/** Starts one in front of the chain at an RPC URL. */
export async function startSlowEndpoint(chainUrl: string): Promise<SlowEndpoint> {
  const upstream = createUpstream(chainUrl)
  const kept = new Set<string>()
  let keeps = true
  const { url, stop } = await listenForCalls(async (call, response) => {
    const signature = keeps && call.method === 'sendTransaction' ? sentSignature(call) : undefined
    if (signature === undefined) return sendAnswer(response, await upstream.forward(call))
    kept.add(signature)
    sendAnswer(response, { status: 200, text: resultText(call, signature) })
  })
  return { rpcUrl: url, kept: () => kept.size, handOn: () => void (keeps = false), stop }
}
