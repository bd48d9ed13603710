import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

import { type Question } from '../servers/event-stream-process.ts'
import { compare, type Line, type Sample } from '../measure/comparison.ts'

const READERS = 5_000
const CONNECT_CONCURRENCY = 100
const EVENTS = 20
const MAX_KILOBYTES = 15
/** Lets the readers take what was sent before the next event. */
const PAUSE_MILLIS = 150

/** One event to 5,000 open streams, compared with as many raw sockets of the same process; and the memory of a stream. */
export async function benchmarkEventStream(pairs: number): Promise<Line[]> {
  const child = fork(new URL('../servers/event-stream-process.ts', import.meta.url), {
    execArgv: [...process.execArgv, '--expose-gc'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  const sockets: Socket[] = []
  try {
    // The first streams would be charged for compiling the code.
    sockets.push(...(await openStreams(child, READERS / 10)))
    const before = await ask(child, 'memory')
    sockets.push(...(await openStreams(child, READERS - sockets.length)))
    const kilobytes = ((await ask(child, 'memory')) - before) / 1024 / (READERS * 0.9)
    sockets.push(...(await openSockets(await ask(child, 'raw port'), READERS)))
    const line = await compare(
      {
        name: `one event to ${READERS.toLocaleString('en')} readers`,
        reference: 'raw socket writes, same bytes',
        unit: '/s',
        // At most 1.3 times as long.
        goal: { least: 0.77 },
        ours: () => repeat(child, 'product millis'),
        theirs: () => repeat(child, 'raw millis'),
      },
      pairs,
    )
    return [line, memoryLine(kilobytes)]
  } finally {
    for (const socket of sockets) socket.destroy()
    child.kill()
  }
}

function memoryLine(kilobytes: number): Line {
  return {
    name: 'memory of an open stream',
    reference: 'allowed',
    ours: kilobytes,
    theirs: MAX_KILOBYTES,
    unit: 'kB',
    ratio: kilobytes / MAX_KILOBYTES,
    goal: { most: 1 },
    p50: NaN,
    p99: NaN,
  }
}

async function ask(child: ChildProcess, question: Question): Promise<number> {
  const answer = once(child, 'message')
  child.send(question)
  const [value]: unknown[] = await answer
  return Number(value)
}

async function repeat(child: ChildProcess, question: Question): Promise<Sample> {
  const millis: number[] = []
  for (let event = 0; event < EVENTS; event++) {
    millis.push(await ask(child, question))
    await sleep(PAUSE_MILLIS)
  }
  millis.sort((a, b) => a - b)
  return { perSecond: 1000 / (millis[EVENTS / 2] ?? NaN), millis }
}

async function openStreams(child: ChildProcess, count: number): Promise<Socket[]> {
  const open = await ask(child, 'readers')
  const sockets = await openSockets(await ask(child, 'product port'), count)
  for (const [index, socket] of sockets.entries()) {
    // Forwarded addresses, since one address may not have that many streams.
    const address = `10.${open >> 8}.${index >> 8}.${index & 255}`
    socket.write(`GET /api/marketplace/events HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: ${address}\r\n\r\n`)
  }
  while ((await ask(child, 'readers')) < open + count) await sleep(50)
  return sockets
}

async function openSockets(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const next = Array.from({ length: Math.min(CONNECT_CONCURRENCY, count - sockets.length) }, () => connect(port, '127.0.0.1').resume())
    await Promise.all(next.map((socket) => once(socket, 'connect')))
    sockets.push(...next)
  }
  return sockets
}
