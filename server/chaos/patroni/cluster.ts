import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chown, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findFreePort } from '../../src/embedded/free-port.ts'
import { type Account, chooseLocation } from '../../src/embedded/postgres-cluster.ts'
import { type Reaper, startReaper } from '../stack/reaper.ts'
import { createMember, type Member } from './member.ts'
import { type Programs } from './packages.ts'
import { type ClusterPlan, etcdSettings, haproxyConfig, patroniConfig } from './recipe.ts'

/** A cluster that any of its parts can be taken from: etcd, three members with synchronous replication, and HAProxy in front. */
export interface PatroniCluster {
  members: readonly Member[]
  /** Where the balancer leads to the primary. */
  port: number
  superuserPassword: string
  /** The member that is primary now; undefined if none is. */
  leader(): Promise<Member | undefined>
  /** The member without which the primary confirms no commit; undefined if there is none. */
  synchronousStandby(): Promise<Member | undefined>
  /** Resolves once there is a primary, and every other member follows it. */
  untilHealthy(): Promise<void>
  /** Hands over to the synchronous standby. */
  switchover(): Promise<void>
  killBalancer(): Promise<void>
  startBalancer(): Promise<void>
  stop(): Promise<void>
}

const HOST = '127.0.0.1'
const MEMBERS = ['db1', 'db2', 'db3']
const HEALTHY_MILLIS = 90_000
const POLL_MILLIS = 250
const REST_MILLIS = 2_000
/** Small: three of them share a machine with everything else of a run. */
const PARAMETERS = {
  shared_buffers: '32MB',
  max_wal_size: '256MB',
  unix_socket_directories: "''",
  log_min_messages: 'log',
}
/** What a program of the cluster gets of the environment: none of our secrets. */
const ENV = { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', TZ: 'UTC' }

interface ClusterMember {
  name: string
  state: string
  role: string
}

/**
 * Starts a cluster in a folder of its own, which is gone when this process ends.
 * @param logFolder where each program writes its log
 */
export async function startCluster(programs: Programs, logFolder: string): Promise<PatroniCluster> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'juicebar-patroni-'))
  const { folder, account } = await chooseLocation(dataFolder)
  const reaper = await startReaper(folder, { deletes: true })
  try {
    return await startIn({ folder, account, programs, logFolder, reaper })
  } catch (error) {
    await reaper.reap()
    throw error
  } finally {
    if (folder !== dataFolder) await rm(dataFolder, { recursive: true })
  }
}

interface Site {
  folder: string
  account: Account | undefined
  programs: Programs
  logFolder: string
  reaper: Reaper
}

async function startIn(site: Site): Promise<PatroniCluster> {
  const { folder, account, programs, logFolder, reaper } = site
  const home = join(folder, 'home')
  await mkdir(home, { mode: 0o700 })
  await giveTo(account, home)
  const plan = await planCluster(home, programs)
  const runWith =
    (settings: Record<string, string>) =>
    (name: string, program: string, ...parameters: string[]) =>
      start([program, ...parameters], { account, env: { ...ENV, HOME: home, ...settings }, logFile: join(logFolder, `${name}.log`) })
  const run = runWith({})

  const members = await Promise.all(
    plan.members.map(async (member) => {
      const file = join(home, `${member.name}.yml`)
      await writeOwned(file, patroniConfig(plan, member), account)
      return createMember(member, () => run(member.name, programs.patroni, file))
    }),
  )
  const balancerFile = join(home, 'haproxy.cfg')
  await writeOwned(balancerFile, haproxyConfig(plan), account)
  let balancer: ChildProcess | undefined
  const startBalancer = async () => void (balancer = await run('haproxy', programs.haproxy, '-f', balancerFile, '-db'))

  await Promise.all(
    plan.etcd.map((etcd) => runWith(etcdSettings(plan, etcd))(etcd.name, programs.etcd, '--data-dir', join(home, etcd.name))),
  )
  await Promise.all([startBalancer(), ...members.map((member) => member.start())])
  await untilHealthy(members)
  return {
    members,
    port: plan.balancerPort,
    superuserPassword: plan.passwords.postgres,
    leader: () => findLeader(members),
    synchronousStandby: async () => {
      const standby = (await describeCluster(members)).find(({ role }) => role === 'sync_standby')
      return members.find(({ name }) => name === standby?.name)
    },
    untilHealthy: () => untilHealthy(members),
    switchover: () => switchover(members),
    killBalancer: async () => {
      if (!balancer || balancer.exitCode !== null) return
      const ended = once(balancer, 'exit')
      balancer.kill('SIGKILL')
      await ended
    },
    startBalancer,
    stop: () => reaper.reap(),
  }
}

async function planCluster(home: string, programs: Programs): Promise<ClusterPlan> {
  const [balancerPort = 0, clientPort = 0, peerPort = 0, ...memberPorts] = await freePorts(3 + MEMBERS.length * 2)
  const members = MEMBERS.map((name, index) => ({
    name,
    host: HOST,
    postgresPort: memberPorts[index * 2] ?? 0,
    restPort: memberPorts[index * 2 + 1] ?? 0,
    dataFolder: join(home, name),
  }))
  return {
    name: 'chaos',
    etcd: [{ name: 'etcd', host: HOST, clientPort, peerPort }],
    members,
    network: `${HOST}/32`,
    balancerPort,
    postgresFolder: programs.postgresFolder,
    passwords: { postgres: randomBytes(24).toString('hex'), replicator: randomBytes(24).toString('hex') },
    parameters: PARAMETERS,
  }
}

async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await findFreePort())
  return [...ports]
}

async function giveTo(account: Account | undefined, path: string): Promise<void> {
  if (account) await chown(path, account.uid, account.gid)
}

async function writeOwned(file: string, text: string, account: Account | undefined): Promise<void> {
  await writeFile(file, text, { mode: 0o600 })
  await giveTo(account, file)
}

interface StartOptions {
  account: Account | undefined
  env: Record<string, string>
  logFile: string
}

async function start([program = '', ...parameters]: string[], options: StartOptions): Promise<ChildProcess> {
  const log = await open(options.logFile, 'a')
  try {
    const child = spawn(program, parameters, {
      ...options.account,
      cwd: '/',
      env: options.env,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    })
    await once(child, 'spawn')
    child.unref()
    return child
  } finally {
    await log.close()
  }
}

async function findLeader(members: readonly Member[]): Promise<Member | undefined> {
  for (const member of members) if ((await ask(`${member.restUrl}/primary`)) !== undefined) return member
  return undefined
}

async function untilHealthy(members: readonly Member[]): Promise<void> {
  for (const deadline = Date.now() + HEALTHY_MILLIS; Date.now() < deadline; await delay(POLL_MILLIS)) {
    if (isHealthy(await describeCluster(members), members.length)) return
  }
  throw new Error('the cluster does not become healthy')
}

/** The members as the primary knows them; none if there is no primary. */
async function describeCluster(members: readonly Member[]): Promise<ClusterMember[]> {
  const leader = await findLeader(members)
  const cluster = leader && (await ask<{ members: ClusterMember[] }>(`${leader.restUrl}/cluster`))
  return cluster?.members ?? []
}

/** Patroni 3.1 and newer say of a standby that it is streaming, older versions that it is running. */
function isHealthy(found: readonly ClusterMember[], count: number): boolean {
  const well = found.filter(({ state }) => state === 'running' || state === 'streaming')
  return well.length === count && ['leader', 'sync_standby'].every((role) => well.some((member) => member.role === role))
}

async function switchover(members: readonly Member[]): Promise<void> {
  const leader = await findLeader(members)
  if (!leader) throw new Error('there is no primary to hand over')
  const response = await fetch(`${leader.restUrl}/switchover`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ leader: leader.name }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`Patroni refuses to switch over: ${text}`)
}

/** @returns undefined if it does not answer with 200 */
async function ask<Answer = unknown>(url: string): Promise<Answer | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(REST_MILLIS) })
    const answer: unknown = await response.json()
    return response.ok ? (answer as Answer) : undefined
  } catch {
    return undefined
  }
}
