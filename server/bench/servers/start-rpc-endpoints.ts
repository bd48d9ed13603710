import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

import { type EndpointPorts, type EndpointReport, type EndpointsRole } from './rpc-endpoints-process.ts'

export interface RpcEndpoints {
  /** One for each limit. */
  urls: string[]
  walletsUrl: string
  report(): Promise<EndpointReport>
  stop(): void
}

/** Means this machine, but is no loopback address: the product must treat the endpoints as it treats a provider's. */
const HOST = '0.0.0.0'

/** Starts counting endpoints in a process of their own, one for each limit in requests a second. */
export async function startRpcEndpoints(limits: number[]): Promise<RpcEndpoints> {
  const child: ChildProcess = fork(new URL('./rpc-endpoints-process.ts', import.meta.url), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ask = async <Answer>(message: EndpointsRole | 'report'): Promise<Answer> => {
    const answer = Promise.race([once(child, 'message'), once(child, 'exit').then(() => [undefined])])
    child.send(message)
    const [value]: unknown[] = await answer
    if (value === undefined) throw new Error('the RPC endpoints ended')
    // Both sides of this channel are in this folder.
    return value as Answer
  }
  const ports = await ask<EndpointPorts>({ limits })
  return {
    urls: ports.limited.map((port) => `http://${HOST}:${port}`),
    walletsUrl: `http://127.0.0.1:${ports.wallets}`,
    report: () => ask<EndpointReport>('report'),
    stop: () => void child.kill(),
  }
}
