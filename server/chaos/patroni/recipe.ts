/** One PostgreSQL with the Patroni that runs it. */
export interface MemberPlan {
  name: string
  host: string
  postgresPort: number
  /** Patroni's REST API, which says whether this member is the primary. */
  restPort: number
  dataFolder: string
}

/** A member of etcd, which decides who is the primary. */
export interface EtcdPlan {
  name: string
  host: string
  clientPort: number
  peerPort: number
}

export interface ClusterPlan {
  /** Patroni's scope. */
  name: string
  etcd: readonly EtcdPlan[]
  members: readonly MemberPlan[]
  /** Who may connect, as a network of PostgreSQL's `pg_hba.conf`. */
  network: string
  balancerPort: number
  postgresFolder: string
  passwords: { postgres: string; replicator: string }
  /** PostgreSQL settings of this cluster alone. */
  parameters?: Readonly<Record<string, string>>
}

/** The environment of one member of etcd, except for its data folder. */
export function etcdSettings({ name: cluster, etcd }: ClusterPlan, { name, host, clientPort, peerPort }: EtcdPlan): Record<string, string> {
  const clients = `http://${host}:${clientPort}`
  const peers = `http://${host}:${peerPort}`
  return {
    ETCD_NAME: name,
    ETCD_LISTEN_CLIENT_URLS: clients,
    ETCD_ADVERTISE_CLIENT_URLS: clients,
    ETCD_LISTEN_PEER_URLS: peers,
    ETCD_INITIAL_ADVERTISE_PEER_URLS: peers,
    ETCD_INITIAL_CLUSTER: etcd.map((member) => `${member.name}=http://${member.host}:${member.peerPort}`).join(','),
    ETCD_INITIAL_CLUSTER_TOKEN: cluster,
  }
}

/**
 * Patroni's configuration of one member. docs/high-availability.md explains it, and shows it for the hosts of its example; a test
 * compares the two.
 */
export function patroniConfig(cluster: ClusterPlan, member: MemberPlan): string {
  const { name, etcd, network, postgresFolder, passwords, parameters = {} } = cluster
  return `scope: ${name}
name: ${member.name}

restapi:
  listen: ${member.host}:${member.restPort}
  connect_address: ${member.host}:${member.restPort}

etcd3:
  hosts: ${etcd.map(({ host, clientPort }) => `${host}:${clientPort}`).join(',')}

bootstrap:
  dcs:
    ttl: 20
    loop_wait: 2
    retry_timeout: 5
    primary_start_timeout: 10
    synchronous_mode: true
    synchronous_mode_strict: true
    failsafe_mode: true
    postgresql:
      use_pg_rewind: true
      parameters:
        max_connections: 200
        wal_sender_timeout: 5s
        wal_receiver_timeout: 5s
        tcp_keepalives_idle: 5
        tcp_keepalives_interval: 2
        tcp_keepalives_count: 3
        tcp_user_timeout: 10s
        client_connection_check_interval: 5s
  initdb:
    - encoding: UTF8
    - locale: C.UTF-8
    - data-checksums

postgresql:
  listen: ${member.host}:${member.postgresPort}
  connect_address: ${member.host}:${member.postgresPort}
  data_dir: ${member.dataFolder}
  bin_dir: ${postgresFolder}
  authentication:
    superuser: { username: postgres, password: ${passwords.postgres} }
    replication: { username: replicator, password: ${passwords.replicator} }
  pg_hba:
    - local all postgres peer
    - host replication replicator ${network} scram-sha-256
    - host all all ${network} scram-sha-256
  parameters:
    password_encryption: scram-sha-256
${Object.entries(parameters)
  .map(([setting, value]) => `    ${setting}: ${value}\n`)
  .join('')}`
}

/** HAProxy's configuration: one address that always leads to the primary. docs/high-availability.md shows it, too. */
export function haproxyConfig({ members, balancerPort }: ClusterPlan): string {
  return `defaults
  mode tcp
  timeout connect 2s
  timeout check 2s
  timeout client 30m
  timeout server 30m
  option clitcpka
  clitcpka-idle 5s
  clitcpka-intvl 2s
  clitcpka-cnt 3
  option srvtcpka
  srvtcpka-idle 5s
  srvtcpka-intvl 2s
  srvtcpka-cnt 3

listen primary
  bind 127.0.0.1:${balancerPort}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fastinter 250ms fall 2 rise 1 on-marked-down shutdown-sessions
${members.map(({ name, host, postgresPort, restPort }) => `  server ${name} ${host}:${postgresPort} check port ${restPort}\n`).join('')}`
}
