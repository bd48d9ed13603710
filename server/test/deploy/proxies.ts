import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished, type TestContext } from 'vitest'
import { findFreePort } from '../../src/embedded/free-port.ts'
import { readText, root } from '../docs/repository.ts'
import { tempFolder } from '../embedded/temp-folder.ts'
import { requireProgram } from './programs.ts'

/**
 * The proxies of `deploy/`. Each starts in front of these servers and returns its origin; only ports, names, certificates and folders differ
 * from what is deployed. `triesAgain`: calls that a dead server did not get are sent to another one.
 */
export const proxies = [
  { name: 'nginx', start: startNginx, triesAgain: ['GET', 'POST'] },
  { name: 'Caddy', start: startCaddy, triesAgain: ['GET'] },
]

async function startNginx(context: TestContext, servers: readonly string[]): Promise<string> {
  const nginx = await requireProgram(context, 'nginx')
  const curl = await requireProgram(context, 'curl')
  const openssl = await requireProgram(context, 'openssl')
  const folder = await tempFolder()
  execFileSync('chmod', ['755', folder])
  const [port, plainPort] = [await findFreePort(), await findFreePort()]
  const certificate = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=market.example`]
  execFileSync(openssl, [...certificate, '-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')], { stdio: 'ignore' })
  const site = (await readText('deploy/nginx/juicebar.conf'))
    .replace('/etc/nginx/juicebar-servers.conf', join(folder, 'servers.conf'))
    .replaceAll(/listen (\[::\]:)?(80|443)\b/g, (_, ipv6 = '', number) => `listen ${ipv6}${number === '80' ? plainPort : port}`)
    .replace('/etc/letsencrypt/live/market.example/fullchain.pem', join(folder, 'cert.pem'))
    .replace('/etc/letsencrypt/live/market.example/privkey.pem', join(folder, 'key.pem'))
  await writeFile(join(folder, 'site.conf'), site)
  await writeFile(join(folder, 'servers.conf'), `server ${servers[0]};\n`)
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
    SERVERS: servers.join(' '),
    SERVERS_FILE: join(folder, 'servers.conf'),
    RELOAD: [nginx, '-s', 'reload', ...typed].join(' '),
  })
  return `https://127.0.0.1:${port}`
}

async function startCaddy(context: TestContext, servers: readonly string[]): Promise<string> {
  const caddy = await requireProgram(context, 'caddy')
  const folder = await tempFolder()
  const origin = `http://127.0.0.1:${await findFreePort()}`
  const file = join(folder, 'Caddyfile')
  await writeFile(file, '{\n\tadmin off\n}\n' + (await readText('deploy/caddy/Caddyfile')))
  const settings = { HOME: folder, XDG_DATA_HOME: folder, JUICEBAR_SITE: origin, JUICEBAR_SERVERS: servers.join(' ') }
  const typed = ['--config', file, '--adapter', 'caddyfile']
  execFileSync(caddy, ['validate', ...typed], { env: settings, stdio: 'pipe' })
  run(caddy, ['run', ...typed], settings)
  return origin
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
