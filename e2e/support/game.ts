import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { STUDIO_KEY } from './own-server.ts'

/** A tiny game on another origin: its page opens the market in a pop-up, and keeps what that tells it. */
export interface Game {
  origin: string
  stop(): Promise<void>
}

const page = `<!doctype html>
<html lang="en">
  <title>Game</title>
  <h1>The game</h1>
  <button>Buy</button>
  <ul></ul>
  <script>
    document.querySelector('button').onclick = () => open(new URLSearchParams(location.search).get('opens'), 'market', 'popup,width=420,height=640')
    addEventListener('message', ({ origin, data }) => {
      const message = document.createElement('li')
      message.textContent = origin + ' ' + JSON.stringify(data)
      document.querySelector('ul').append(message)
    })
  </script>
</html>`

/** Starts the game on a port of 127.0.0.1. */
export async function startGame(port: number): Promise<Game> {
  const server = createServer((_request, reply) => reply.setHeader('content-type', 'text/html').end(page)).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${port}`,
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Starts the example game, whose shop opens the market in a pop-up, on a port of localhost. */
export async function startExampleGame(port: number, marketUrl: string): Promise<Game> {
  const folder = await mkdtemp(join(tmpdir(), 'example-game-'))
  const env = { ...process.env, MARKET_URL: marketUrl, STUDIO_API_KEY: STUDIO_KEY, PORT: String(port) }
  const game = fileURLToPath(new URL('../../examples/game/game.mjs', import.meta.url))
  const running = spawn(process.execPath, [game], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] })
  return {
    origin: `http://localhost:${port}`,
    async stop() {
      running.kill()
      if (running.exitCode === null && running.signalCode === null) await once(running, 'exit')
      await rm(folder, { recursive: true })
    },
  }
}
