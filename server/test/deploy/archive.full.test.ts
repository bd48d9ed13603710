import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { base58 } from '@scure/base'
import { generateKeyPairSigner, signBytes } from '@solana/kit'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { findFreePort } from '../../src/embedded/free-port.ts'
import { root } from '../docs/repository.ts'
import { tempFolder } from '../embedded/temp-folder.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { startTestChain } from '../support/test-chain.ts'

const MAX_BYTES = 60_000_000
const waiting = { timeout: 60_000 }
const PATH = process.env['PATH'] ?? ''

const scratch = join(root, '.cache', 'archive-test')
let archive: string
let unpacked: string

beforeAll(async () => {
  await rm(scratch, { recursive: true, force: true })
  await mkdir(scratch, { recursive: true })
  archive = await pack(root)
  execFileSync('tar', ['-xzf', archive, '-C', scratch])
  unpacked = join(scratch, archive.replace(/^.*\/|\.tar\.gz$/g, ''))
}, 300_000)

afterAll(() => rm(scratch, { recursive: true, force: true }))

/** @returns the file that `npm run pack` writes */
async function pack(checkout: string, settings: NodeJS.ProcessEnv = {}): Promise<string> {
  const output = execFileSync(process.execPath, ['scripts/pack.mjs'], {
    cwd: checkout,
    env: { ...process.env, ...settings },
    encoding: 'utf8',
  })
  const [, name = ''] = /^(juicebar-\S+\.tar\.gz): .* MB; unpacked .* MB in \d+ files$/m.exec(output) ?? []
  if (name === '') throw new Error(`nothing was packed: ${output}`)
  return join(checkout, name)
}

const hashOf = async (file: string) => hash('sha256', await readFile(file))

/** Runs `node start.mjs` in a folder of its own, with nothing but these settings. */
async function start(settings: Record<string, string>, typed: readonly string[] = [], cwd?: string) {
  const folder = cwd ?? (await tempFolder())
  const child = spawn(process.execPath, [join(unpacked, 'start.mjs'), ...typed], {
    cwd: folder,
    env: { PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, folder, ended: endOf(child) }
}

async function endOf(child: ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream }) {
  const [output, complaint, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { output, complaint, code: Number(code) }
}

describe('the archive of npm run pack', { timeout: 300_000 }, () => {
  it('has the same bytes when it is packed again, from another folder', async () => {
    const other = join(scratch, 'elsewhere')
    const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' })
    for (const file of files.split('\0').filter(Boolean)) {
      await mkdir(dirname(join(other, file)), { recursive: true })
      // What is deleted and not committed yet is listed as well.
      await cp(join(root, file), join(other, file)).catch((error: NodeJS.ErrnoException) => expect(error.code).toBe('ENOENT'))
    }
    execFileSync('cp', ['-al', join(root, 'node_modules'), join(other, 'node_modules')])
    const seconds = execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }).trim()
    const again = await pack(other, { SOURCE_DATE_EPOCH: seconds })
    expect(await hashOf(again)).toBe(await hashOf(archive))
  })

  it(`is below ${MAX_BYTES / 1_000_000} MB packed and unpacked, in one folder, without TypeScript but the client’s types, and without a path of this machine`, async () => {
    const bytes = (path: string) => Number(/^\d+/.exec(execFileSync('du', ['-sb', path], { encoding: 'utf8' }))?.[0])
    expect(bytes(archive)).toBeLessThan(MAX_BYTES)
    expect(bytes(unpacked)).toBeLessThan(MAX_BYTES)
    const entries = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' }).trim().split('\n')
    const top = archive.replace(/^.*\/|\.tar\.gz$/g, '')
    const unwanted = (entry: string) =>
      !entry.startsWith(`${top}/`) || /(?<!\/@juicebar\/client\/dist\/\w+\.d)\.tsx?$|node_modules\/(?:tsx|typescript|vite)\//.test(entry)
    expect(entries.filter(unwanted)).toEqual([])
    expect(entries).toEqual(entries.toSorted())
    const named = spawn('grep', ['-rlF', root.replace(/\/$/, ''), unpacked])
    expect(await text(named.stdout)).toBe('')
  })

  it('can be read by every user, whatever the umask of who unpacks it', () => {
    const listed = execFileSync('tar', ['-tvzf', archive], { encoding: 'utf8' }).trim().split('\n')
    const entries = listed.map((line) => {
      const [mode = '', , , , , name = ''] = line.split(/\s+/)
      return { mode, name }
    })
    const folders = new Set(entries.filter(({ name }) => name.endsWith('/')).map(({ name }) => name))
    expect(entries.filter(({ name }) => !folders.has(`${dirname(name)}/`)).map(({ name }) => name)).toEqual([`${basename(unpacked)}/`])
    expect(new Set(entries.map(({ mode }) => mode))).toEqual(new Set(['drwxr-xr-x', '-rw-r--r--', '-rwxr-xr-x']))
  })

  it('says in a sentence which settings it needs', async () => {
    const { ended } = await start({})
    expect(await ended).toEqual({
      code: 1,
      output: '',
      complaint: expect.stringMatching(/^Set DATABASE_URL \(.+\) and SOLANA_RPC_URL \(.+\), and start again: .+\n$/),
    })
    const other = await start({ DATABASE_URL: 'postgresql://nobody@127.0.0.1:9/none' })
    expect((await other.ended).complaint).toMatch(/^Set SOLANA_RPC_URL /)
    const unknown = await start({}, ['stop'])
    expect(await unknown.ended).toMatchObject({ code: 1, complaint: expect.stringContaining('server | audit | studio') })
  })

  it('names its commands as they are typed where there is no npm', async () => {
    const { output, code } = await (await start({}, ['studio', 'help'])).ended
    expect({ code, first: output.split('\n')[0] }).toEqual({ code: 0, first: 'node start.mjs studio <command>' })
    expect(output).not.toContain('npm')
  })

  it('has what its pages for operators lead to', async () => {
    for (const page of [
      'install',
      'run',
      'recover',
      'LIMITATIONS',
      'brand',
      'catalogue',
      'desk',
      'studio',
      'high-availability',
      'scaling',
      'market-data',
      'api',
    ]) {
      const text = await readFile(join(unpacked, 'docs', `${page}.md`), 'utf8')
      const links = [...text.matchAll(/\]\(([^)\s#:]+)(?:#[^)\s]*)?\)/g)].map(([, link = '']) => link)
      expect({ page, dead: links.filter((link) => !existsSync(join(unpacked, 'docs', link))) }).toEqual({ page, dead: [] })
    }
  })

  it('has an example game that runs from it, with the client for its server and its page', async () => {
    const port = String(await findFreePort())
    const nowhere = `http://127.0.0.1:${await findFreePort()}`
    const game = spawn(process.execPath, [join(unpacked, 'examples', 'game', 'game.mjs')], {
      cwd: await tempFolder(),
      env: { PATH, MARKET_URL: nowhere, STUDIO_API_KEY: 'none', PORT: port },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    onTestFinished(() => void game.kill('SIGKILL'))
    const text = (path: string) => fetch(`http://localhost:${port}${path}`).then((reply) => reply.text(), String)
    await expect.poll(() => text('/'), waiting).toContain('<!doctype html>')
    expect(await text('/juicebar.js')).toContain('export const checkout')
  })

  it('has a client that games elsewhere install', async () => {
    const client = join(unpacked, 'node_modules', '@juicebar', 'client')
    const output = execFileSync('npm', ['pack', client, '--dry-run', '--json'], { cwd: await tempFolder(), encoding: 'utf8' })
    const [packed] = JSON.parse(output) as { files: { path: string }[] }[]
    const files = ['README.md', 'dist/browser.js', 'dist/client.d.ts', 'dist/client.js', 'package.json']
    expect(packed?.files.map(({ path }) => path)).toEqual(expect.arrayContaining(files))
  })

  it('is a whole market with a database and a chain: pages, listings, documents, commands, and an audit', async () => {
    const [fresh, chain] = await Promise.all([freshDatabase('template0'), startTestChain()])
    onTestFinished(async () => void (await Promise.all([fresh.drop(), chain.stop()])))
    const port = String(await findFreePort())
    const settings = { DATABASE_URL: fresh.url, SOLANA_RPC_URL: chain.rpcUrl, PORT: port, DRAIN_SECONDS: '0' }
    const { child, folder, ended } = await start(settings)
    const origin = `http://127.0.0.1:${port}`
    const ready = () => fetch(`${origin}/health/ready`).then(({ status }) => status, String)
    await expect.poll(ready, waiting).toBe(200)

    expect(await (await fetch(`${origin}/health`)).json()).toMatchObject({ status: 'ok', database: 'ok', chain: 'ok' })
    const page = await (await fetch(origin, { headers: { accept: 'text/html' } })).text()
    const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(page) ?? []
    expect((await fetch(origin + script)).headers.get('content-type')).toContain('javascript')
    expect((await fetch(`${origin}/docs/`)).status).toBe(200)

    const studioKey = (await readFile(join(folder, '.data', 'STUDIO_API_KEY'), 'utf8')).trim()
    const call = async (path: string, token?: string, body?: object) => {
      const headers = { ...(token && { authorization: `Bearer ${token}` }), ...(body && { 'content-type': 'application/json' }) }
      const reply = await fetch(`${origin}/api${path}`, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) })
      expect(reply.status).toBeLessThan(300)
      // What these replies are is tested elsewhere.
      return (await reply.json()) as Record<string, string> & { listing: { _id: string } }
    }
    const { address, keyPair } = await generateKeyPairSigner()
    const { message = '' } = await call('/auth/nonce', undefined, { walletAddress: address })
    const signature = base58.encode(await signBytes(keyPair.privateKey, new TextEncoder().encode(message)))
    const { token } = await call('/auth/verify', undefined, { walletAddress: address, signature })
    await call('/studio/credits', studioKey, { walletAddress: address, tokenType: 'APPLE_JUICE', amount: 9, idempotencyKey: 'quest-1' })
    const { listing } = await call('/marketplace/listings', token, { tokenName: 'Apple Juice', price: 0.5, amount: 4 })
    expect(await call('/marketplace/listings')).toMatchObject({ listings: [{ _id: listing._id, seller: address }] })

    // They find the server by its port, and its key where the server has kept it.
    const command = async (...typed: string[]) => (await start({ PORT: port }, typed, folder)).ended
    expect(await command('studio', '--json', 'pause', 'show')).toMatchObject({ code: 0, output: expect.stringContaining('"pause"') })
    expect(await command('audit')).toMatchObject({ code: 0, output: expect.stringContaining('Everything adds up.') })

    child.kill('SIGTERM')
    const made = expect.stringContaining('JWT_SECRET, STUDIO_API_KEY, REFERENCE_SECRET not set: made')
    expect(await ended).toMatchObject({ code: 0, complaint: made })
  })
})
