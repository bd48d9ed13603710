import { describe, expect, it, onTestFinished } from 'vitest'
import { findFreePort } from '../../src/embedded/free-port.ts'
import { openTradingWorld, type TradingWorld } from '../purchases/trading-world.ts'
import { openApp } from '../support/start-app.ts'
import { startTraders } from '../upgrade/traders.ts'
import { proxies } from './proxies.ts'

/** Longer than the proxy takes to notice. */
const DRAIN_SECONDS = 5
const patience = { timeout: 60_000, interval: 100 }

/** A server on this port. @returns how to stop it as systemd does */
async function startServer({ chain, databaseUrl }: TradingWorld, port: number): Promise<() => Promise<void>> {
  const settings = { PORT: String(port), DRAIN_SECONDS: String(DRAIN_SECONDS), TRUST_PROXY: 'loopback' }
  const { get, stop } = await openApp(databaseUrl, { chain, settings })
  await expect.poll(async () => (await get('/health/ready')).status, patience).toBe(200)
  return () => stop({ drain: true })
}

/** When nginx is told which servers are ready, it closes idle connections of HTTP/1.1, as docs/install.md says. */
const lossless = proxies.filter(({ name }) => name !== 'nginx')

describe.each(lossless)('behind $name', { timeout: 240_000 }, ({ start }) => {
  it('servers are replaced one after the other without a failed call', async (context) => {
    const ports = [await findFreePort(), await findFreePort()]
    const addresses = ports.map((port) => `127.0.0.1:${port}`)
    const origin = await start(context, addresses)
    const world = await openTradingWorld()
    const servers = await Promise.all(ports.map((port) => startServer(world, port)))
    await expect.poll(() => fetch(`${origin}/health/ready`).then(({ status }) => status, String), patience).toBe(200)
    const traders = await startTraders(world, origin, 4)
    onTestFinished(() => traders.stop())
    const untilMoreTrades = async () => {
      const [calls, delivered] = [traders.calls(), traders.delivered()]
      const progress = () => traders.failures()[0] ?? (traders.calls() - calls > 100 && traders.delivered() - delivered > 2)
      await expect.poll(progress, patience).toBe(true)
    }

    await untilMoreTrades()
    for (const [index, port] of ports.entries()) {
      await servers[index]?.()
      servers[index] = await startServer(world, port)
      await untilMoreTrades()
    }
    await traders.stop()
    expect(traders.failures()).toEqual([])

    await Promise.all(servers.map((stop) => stop()))
    await world.expectAllAddsUp()
    await world.close()
  })
})
