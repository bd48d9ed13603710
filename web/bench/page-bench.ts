import { readFile } from 'node:fs/promises'
import { createServer, request, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

import { type Browser, chromium } from '@playwright/test'

import { findChromium } from '../../e2e/support/chromium.mjs'
import { KEEP_NAMES, measurePage, type PageLoad } from './measure-page.ts'
import { type Tree } from './reference.ts'

/**
 * Loads pages of a market in turn with a page of bare React that shows the same elements: `page-bench.ts <market> <pairs> <path> ...`. Writes
 * how they loaded to standard output, as JSON.
 */
const [market = '', pairs = '', ...paths] = process.argv.slice(2)
const executablePath = findChromium()
const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ['--disable-gpu'] })
const loads: Record<string, { ours: PageLoad[]; theirs: PageLoad[] }> = {}
for (const path of paths) {
  const reference = await startReference(await readPage(browser, path))
  const ours: PageLoad[] = []
  const theirs: PageLoad[] = []
  // The first of each fills the server's caches.
  await measurePage(browser, `${market}${path}`)
  await measurePage(browser, reference.url)
  for (let run = 0; run < Number(pairs); run++) {
    theirs.push(await measurePage(browser, reference.url))
    ours.push(await measurePage(browser, `${market}${path}`))
  }
  reference.stop()
  loads[path] = { ours, theirs }
}
await browser.close()
process.stdout.write(JSON.stringify(loads))

/** What a page of the market shows once it has loaded, and how its HTML begins. */
interface ShownPage {
  head: string
  tree: Tree[]
}

async function readPage(browser: Browser, path: string): Promise<ShownPage> {
  const page = await browser.newPage({ serviceWorkers: 'block', viewport: { width: 412, height: 823 } })
  await page.addInitScript({ content: KEEP_NAMES })
  await page.goto(`${market}${path}`, { waitUntil: 'networkidle' }).catch(() => undefined)
  await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' })
  const shown = await page.evaluate(() => {
    const treeOf = (node: ChildNode): Tree[] => {
      if (node instanceof Text) return [node.data]
      if (!(node instanceof Element)) return []
      const attributes = Object.fromEntries([...node.attributes].map(({ name, value }) => [name, value]))
      return [[node.localName, attributes, [...node.childNodes].flatMap(treeOf)]]
    }
    const links = document.head.querySelectorAll('meta, link[rel=stylesheet], link[as=font]')
    return {
      head: [...links].map(({ outerHTML }) => outerHTML).join('\n'),
      tree: [...(document.getElementById('root')?.childNodes ?? [])].flatMap(treeOf),
    }
  })
  await page.close()
  return shown
}

/** Serves a page of bare React with these elements; style sheet, typefaces and pictures are the market's own. */
async function startReference({ head, tree }: ShownPage): Promise<{ url: string; stop: () => void }> {
  const script = await readFile(fileURLToPath(new URL('../../.cache/bench-page/reference.js', import.meta.url)))
  const html = `<!doctype html><html lang="en"><head>${head}<script type="module" src="/reference.js"></script></head><body><div id="root"></div></body></html>`
  const own = new Map(
    Object.entries({
      '/': ['text/html', html],
      '/reference.js': ['text/javascript', script],
      '/reference.json': ['application/json', JSON.stringify(tree)],
    }).map(([path, [type, body = '']]) => [path, { type, body: gzipSync(body) }]),
  )
  const server = createServer(({ url = '/', headers }, reply) => {
    const file = own.get(url)
    if (file) reply.writeHead(200, { 'content-type': `${String(file.type)}; charset=utf-8`, 'content-encoding': 'gzip' }).end(file.body)
    else forward(url, headers['accept-encoding'] ?? '', reply)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://localhost:${port}/`, stop: () => server.close() }
}

function forward(path: string, encodings: string | string[], reply: ServerResponse): void {
  const asked = request(`${market}${path}`, { headers: { 'accept-encoding': encodings } }, (answer) => {
    reply.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(reply)
  })
  asked.on('error', () => reply.writeHead(502).end())
  asked.end()
}
