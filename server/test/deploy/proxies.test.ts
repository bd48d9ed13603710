import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'

import { findFreePort } from '../../src/embedded/free-port.ts'
import { readText, root } from '../docs/repository.ts'
import { requireProgram } from './programs.ts'
import { startStubMarket, type StubMarket } from './stub-market.ts'

const HOST = 'market.example'
const patience = { timeout: 30_000, interval: 100 }

interface Proxy {
  port: number
  one: StubMarket
  other: StubMarket
}

/** The proxies of `deploy/`, in front of two servers. Only ports, certificates and folders differ from what is deployed. */
const proxies = [
  { name: 'nginx', start: startNginx, triesAgain: ['GET', 'POST'] },
  { name: 'Caddy', start: startCaddy, triesAgain: ['GET'] },
]

async function startNginx(context: TestContext): Promise<Proxy> {
  const nginx = await requireProgram(context, 'nginx')
  const curl = await requireProgram(context, 'curl')
  const openssl = await requireProgram(context, 'openssl')
  const folder = await temporaryFolder()
  execFileSync('chmod', ['755', folder])
  const [one, other, port, plainPort] = [await startStubMarket(), await startStubMarket(), await findFreePort(), await findFreePort()]
  const certificate = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${HOST}`]
  execFileSync(openssl, [...certificate, '-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')], { stdio: 'ignore' })
  const site = (await readText('deploy/nginx/juicebar.conf'))
    .replace('/etc/nginx/juicebar-servers.conf', join(folder, 'servers.conf'))
    .replaceAll(/listen (\[::\]:)?(80|443)\b/g, (_, ipv6 = '', number) => `listen ${ipv6}${number === '80' ? plainPort : port}`)
    .replace('/etc/letsencrypt/live/market.example/fullchain.pem', join(folder, 'cert.pem'))
    .replace('/etc/letsencrypt/live/market.example/privkey.pem', join(folder, 'key.pem'))
  await writeFile(join(folder, 'site.conf'), site)
  await writeFile(join(folder, 'servers.conf'), `server ${one.address};\n`)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`)
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/nginx.pid; error_log stderr; include ${root}/deploy/nginx/juicebar-reload.conf; events {}
    http { access_log off; ${paths.join(' ')} include ${folder}/site.conf; }`,
  )
  const typed = ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')]
  execFileSync(nginx, ['-t', ...typed], { stdio: 'pipe' })
  run(nginx, typed)
  run(join(root, 'deploy', 'nginx', 'follow-ready.sh'), [], {
    PATH: `${process.env['PATH']}:${join(curl, '..')}`,
    SERVERS: `${one.address} ${other.address}`,
    SERVERS_FILE: join(folder, 'servers.conf'),
    RELOAD: [nginx, '-s', 'reload', ...typed].join(' '),
  })
  return { port, one, other }
}

async function startCaddy(context: TestContext): Promise<Proxy> {
  const caddy = await requireProgram(context, 'caddy')
  const folder = await temporaryFolder()
  const [one, other, port] = [await startStubMarket(), await startStubMarket(), await findFreePort()]
  const options = '{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n'
  const file = join(folder, 'Caddyfile')
  await writeFile(file, options + (await readText('deploy/caddy/Caddyfile')))
  const settings = {
    HOME: folder,
    XDG_DATA_HOME: folder,
    JUICEBAR_SITE: `https://${HOST}:${port}`,
    JUICEBAR_SERVERS: `${one.address} ${other.address}`,
  }
  const typed = ['--config', file, '--adapter', 'caddyfile']
  execFileSync(caddy, ['validate', ...typed], { env: settings, stdio: 'pipe' })
  run(caddy, ['run', ...typed], settings)
  return { port, one, other }
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'juicebar-proxy-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Stops it, and waits until it has ended, when the test is over. */
function run(program: string, typed: readonly string[], env?: NodeJS.ProcessEnv): void {
  const child = spawn(program, typed, { stdio: 'ignore', ...(env && { env }) })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
}

async function open({ port }: Proxy, path: string, method = 'GET', headers: Record<string, string> = {}): Promise<IncomingMessage> {
  // A new connection each time, as another player's.
  const call = request({
    host: '127.0.0.1',
    port,
    servername: HOST,
    path,
    method,
    agent: false,
    rejectUnauthorized: false,
    headers: { host: HOST, ...headers },
  })
  call.end(method === 'POST' ? '{}' : undefined)
  const [reply] = (await once(call, 'response')) as [IncomingMessage]
  return reply
}

/** @returns the status and the body, which is the address of the server that answered */
async function ask(proxy: Proxy, path = '/', method = 'GET', headers: Record<string, string> = {}): Promise<string> {
  try {
    const reply = await open(proxy, path, method, headers)
    return `${reply.statusCode} ${(await reply.setEncoding('utf8').toArray()).join('')}`
  } catch (error) {
    return String(error)
  }
}

async function answers(proxy: Proxy, method = 'GET'): Promise<string[]> {
  const replies: string[] = []
  for (let call = 0; call < 12; call++) replies.push(await ask(proxy, `/api/marketplace/listings?${call}`, method))
  return [...new Set(replies)].toSorted()
}

describe.each(proxies)('$name', { timeout: 120_000 }, ({ start, triesAgain }) => {
  it('passes on calls and the address they came from, whatever the caller says', async (context) => {
    const proxy = await start(context)
    await expect.poll(() => answers(proxy), patience).toEqual([`200 ${proxy.one.address}`, `200 ${proxy.other.address}`].toSorted())
    const calls = () => [...proxy.one.calls, ...proxy.other.calls]
    await ask(proxy, '/api/marketplace/buy/7', 'POST', { 'x-forwarded-for': '6.6.6.6', forwarded: 'for=6.6.6.6' })
    expect(calls().find(({ call }) => call === 'POST /api/marketplace/buy/7')).toEqual({
      call: 'POST /api/marketplace/buy/7',
      from: '127.0.0.1',
    })
  })

  it('passes on each event at once', async (context) => {
    const proxy = await start(context)
    await expect.poll(() => ask(proxy), patience).toMatch(/^200 /)
    const stream = await open(proxy, '/api/marketplace/events')
    let received = ''
    stream.setEncoding('utf8').on('data', (text: string) => (received += text))
    onTestFinished(() => void stream.destroy())
    for (const line of ['data: one', 'data: two']) {
      proxy.one.send(line)
      proxy.other.send(line)
      await expect.poll(() => received, patience).toContain(line)
    }
    expect(stream.complete).toBe(false)
  })

  it('sends nothing to a server that drains, and what is left to those that are live', async (context) => {
    const proxy = await start(context)
    const { one, other } = proxy
    const both = [`200 ${one.address}`, `200 ${other.address}`].toSorted()
    await expect.poll(() => answers(proxy), patience).toEqual(both)
    one.isReady = false
    await expect.poll(() => answers(proxy), patience).toEqual([`200 ${other.address}`])
    one.stop()
    expect(await answers(proxy, 'POST')).toEqual([`200 ${other.address}`])
    other.isReady = false
    await expect.poll(() => answers(proxy), patience).toEqual([`200 ${other.address}`])
  })

  it('sends what a dead server did not get to another one', async (context) => {
    const proxy = await start(context)
    const { one, other } = proxy
    await expect.poll(() => answers(proxy), patience).toEqual([`200 ${one.address}`, `200 ${other.address}`].toSorted())
    one.stop()
    for (const method of triesAgain) expect(await answers(proxy, method)).toEqual([`200 ${other.address}`])
    await expect.poll(() => answers(proxy, 'POST'), patience).toEqual([`200 ${other.address}`])
  })
})
