import { once } from 'node:events'
import { createServer } from 'node:http'

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
