import { beforeEach, describe, expect, it } from 'vitest'
import { changeWebhook, replayMessages, rotateSecret, readDeliveries, readWebhooks } from '../../../src/studio/webhooks/change-webhooks.ts'
import { type Answer, startReceiver, verifyMessage } from './receiver.ts'
import { listingIds, openWebhookWorld, type WebhookWorld } from './webhook-world.ts'

let world: WebhookWorld

beforeEach(async () => void (world = await openWebhookWorld()))

async function listMany(count: number): Promise<string[]> {
  const ids = []
  for (let n = 0; n < count; n++) ids.push(await world.list())
  return ids
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>
const untilReceived = ({ received }: Receiver, count: number) => expect.poll(() => received.length).toBe(count)
const untilAccepted = ({ accepted }: Receiver, count: number) => expect.poll(() => accepted.length).toBe(count)

const readWebhook = async (id: string) => (await readWebhooks(world.database, {})).webhooks.find((webhook) => webhook.id === id)
const readAttempts = async (id: string) => (await readDeliveries(world.database, id, { limit: 200 })).deliveries

const status = (code: number, body = ''): Answer => {
  return (response) => response.writeHead(code).end(body)
}

describe('a webhook', () => {
  it('gets what it asked for, in order, signed by the specification, and nothing from before', async () => {
    const receiver = await startReceiver()
    await world.list()
    const { secret } = await world.addWebhook(receiver.url, ['listing.created'])
    const { secret: otherSecret } = await world.addWebhook(receiver.url, ['listing.removed'])
    world.serve()
    const [first = '', second = ''] = await listMany(2)
    await world.remove(first)
    await untilReceived(receiver, 3)
    const created = receiver.received.filter(({ body }) => body.type === 'listing.created')
    const removed = receiver.received.filter(({ body }) => body.type === 'listing.removed')
    expect([listingIds(created), listingIds(removed)]).toEqual([[first, second], [first]])
    for (const message of created) expect(verifyMessage(secret, message)).toEqual(message.body)
    for (const message of removed) expect(verifyMessage(otherSecret, message)).toEqual(message.body)
    expect(() => verifyMessage(otherSecret, created[0]!)).toThrow('No matching signature')
    expect(created[0]).toMatchObject({
      headers: { 'content-type': 'application/json' },
      body: { timestamp: expect.stringMatching(/^\d{4}-.*Z$/), data: { seller: world.seller, price: 0.001, status: 'active' } },
    })
    expect(JSON.stringify(world.lines)).not.toContain('whsec_')
  })

  it('gets everything in order once its receiver is back', async () => {
    const receiver = await startReceiver()
    await world.addWebhook(receiver.url)
    await receiver.stop()
    const attempts = { delivered: 0, failed: 0 }
    world.serve({ onAttempt: (delivered) => void (attempts[delivered ? 'delivered' : 'failed'] += 1) })
    const ids = await listMany(20)
    await expect.poll(() => world.lines.some(({ msg }) => msg.includes('does not take a message'))).toBe(true)
    await receiver.startAgain()
    await untilAccepted(receiver, 20)
    expect(listingIds(receiver.received)).toEqual(ids)
    await expect.poll(() => attempts.delivered).toBe(20)
    expect(attempts.failed).toBeGreaterThan(0)
  })

  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'
  const faults: [string, Answer][] = [
    ['500', status(500, 'later')],
    ['a redirect', (response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
    ['a cut connection', (response) => response.socket?.destroy()],
    ['a cut answer header', (response) => void response.socket?.end('HTTP/1.1 200 O')],
    ['something that is not HTTP', (response) => void response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n')],
    ['headers without end', (response) => void response.socket?.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`)],
    ['an upgrade', (response) => void response.socket?.write(upgrade)],
    ['silence', () => undefined],
  ]
  it.each(faults)('tries again what its receiver answers with %s, with the same identifier', async (_, fault) => {
    const receiver = await startReceiver(fault)
    const { id } = await world.addWebhook(receiver.url)
    world.serve({ attemptMillis: 300 })
    const ids = await listMany(3)
    await expect.poll(() => receiver.received.length).toBeGreaterThan(1)
    expect(receiver.accepted).toEqual([])
    receiver.accept()
    await untilAccepted(receiver, 3)
    expect(listingIds(receiver.messages())).toEqual(ids)
    await expect.poll(async () => (await readAttempts(id)).filter(({ delivered }) => delivered).length).toBe(3)
    expect((await readAttempts(id)).at(-1)).toMatchObject({ attempt: 1, delivered: false, messageId: receiver.received[0]?.id })
  })

  it('counts an answer by its status, however large its body is, and keeps the beginning', async () => {
    const receiver = await startReceiver(status(200, `\0é${'x'.repeat(5_000_000)}`))
    const { id } = await world.addWebhook(receiver.url)
    world.serve()
    await listMany(2)
    await expect.poll(async () => (await readAttempts(id)).length).toBe(2)
    const { deliveries } = await readDeliveries(world.database, id, {})
    expect(deliveries[0]).toMatchObject({ status: 200, delivered: true, error: null, answer: `\u{FFFD}é${'x'.repeat(1_021)}` })
    expect(receiver.received).toHaveLength(2)
  })

  it('holds up no other while its receiver hangs', async () => {
    const hanging = await startReceiver(() => undefined)
    const quick = await startReceiver()
    for (let n = 0; n < 5; n++) await world.addWebhook(hanging.url)
    await world.addWebhook(quick.url)
    world.serve({ attemptMillis: 600_000 })
    const ids = await listMany(5)
    await untilAccepted(quick, 5)
    expect(listingIds(quick.received)).toEqual(ids)
    await untilReceived(hanging, 5)
  })

  it('is switched off after ten attempts, keeps what happens meanwhile, and goes on where it stopped', async () => {
    const receiver = await startReceiver(status(503))
    const { id } = await world.addWebhook(receiver.url)
    world.serve()
    const [first = ''] = await listMany(1)
    await expect.poll(() => readWebhook(id)).toMatchObject({ enabled: false, switchedOff: 'failed', failedAttempts: 10 })
    expect(listingIds(receiver.received)).toEqual(Array.from({ length: 10 }, () => first))
    expect((await readAttempts(id)).map(({ attempt }) => attempt)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
    const others = await listMany(2)
    receiver.accept()
    await changeWebhook(world.database, { id, actor: 'test' }, true)
    await untilAccepted(receiver, 3)
    expect(listingIds(receiver.messages())).toEqual([first, ...others])
  })

  it('is switched off at once by 410, and on again by a call', async () => {
    const receiver = await startReceiver(status(410))
    const { id } = await world.addWebhook(receiver.url)
    world.serve()
    await world.list()
    await expect.poll(() => readWebhook(id)).toMatchObject({ enabled: false, switchedOff: 'gone' })
    expect(receiver.received).toHaveLength(1)
    receiver.accept()
    expect(await changeWebhook(world.database, { id, actor: 'test' }, true)).toMatchObject({ enabled: true, switchedOff: null })
    await untilAccepted(receiver, 1)
  })

  it('is signed with both secrets after a rotation, until the first has expired', async () => {
    const receiver = await startReceiver()
    const { id, secret: former } = await world.addWebhook(receiver.url)
    world.serve()
    const { secret } = await rotateSecret(world.database, { id, actor: 'test' })
    await world.list()
    await untilReceived(receiver, 1)
    for (const each of [former, secret]) verifyMessage(each, receiver.received[0]!)
    const { rows } = await world.pool.query<{ hours: number }>(
      'select round(extract(epoch from expires_at - now()) / 3600)::integer as hours from webhook_secrets where expires_at is not null',
    )
    expect(rows).toEqual([{ hours: 24 }])
    await world.pool.query('update webhook_secrets set expires_at = now() where expires_at is not null')
    await world.list()
    await untilReceived(receiver, 2)
    verifyMessage(secret, receiver.received[1]!)
    expect(() => verifyMessage(former, receiver.received[1]!)).toThrow('No matching signature')
  })

  it('gets again what came after a message, with the same identifiers', async () => {
    const receiver = await startReceiver()
    const { id } = await world.addWebhook(receiver.url)
    world.serve()
    await listMany(5)
    await untilAccepted(receiver, 5)
    const sent = receiver.received.map((message) => message.id)
    await replayMessages(world.database, { id, actor: 'test' }, sent[1]!)
    await untilAccepted(receiver, 8)
    expect(receiver.received.map((message) => message.id)).toEqual([...sent, ...sent.slice(2)])
    const unknown = replayMessages(world.database, { id, actor: 'test' }, '01a1f7d2-f049-703c-aa02-0770f4434472')
    await expect(unknown).rejects.toMatchObject({ code: 'MESSAGE_NOT_FOUND' })
  })
})

describe('several servers', () => {
  it('share webhooks: each message is sent once, one at a time', async () => {
    let underWay = 0
    let most = 0
    const slowly: Answer = (response) => {
      most = Math.max(most, ++underWay)
      setImmediate(() => {
        underWay--
        response.writeHead(200).end()
      })
    }
    const receiver = await startReceiver(slowly)
    await world.addWebhook(receiver.url)
    for (let n = 0; n < 3; n++) world.serve()
    const ids = await listMany(60)
    await untilAccepted(receiver, 60)
    expect(listingIds(receiver.received)).toEqual(ids)
    expect(most).toBe(1)
  })

  it('go on after one that died between sending and recording: with the same identifier', async () => {
    const receiver = await startReceiver()
    await world.addWebhook(receiver.url)
    // A server killed in that moment leaves its lease and a queue that does not know of the message.
    const dead = world.serve()
    receiver.answerWith(async (response) => {
      await world.pool.query(`update webhooks set lease_id = gen_random_uuid() where lease_until > now()`)
      response.writeHead(200).end()
    })
    const [id] = await listMany(1)
    await untilAccepted(receiver, 1)
    await dead.stop()
    receiver.accept()
    const other = world.serve()
    await world.pool.query(`update webhooks set lease_until = now()`)
    await untilAccepted(receiver, 2)
    expect(listingIds(receiver.received)).toEqual([id, id])
    expect(receiver.received[0]?.id).toBe(receiver.received[1]?.id)
    await other.stop()
  })
})
