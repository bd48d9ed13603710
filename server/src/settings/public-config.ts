import { type PublicConfig } from '@juicebar/contract/schemas'

import { type Config, isLoopback } from './config.ts'

/** The https address at which phones reach the market; undefined if only this machine can reach it, or there is no certificate. */
export function phoneOrigin({ publicOrigin }: Pick<Config, 'publicOrigin'>): string | undefined {
  const { protocol, hostname, origin } = new URL(publicOrigin)
  return protocol === 'https:' && !isLoopback(hostname) ? origin : undefined
}

/** The public settings, except for the pause, which changes. */
export function publicConfig(config: Config, version: string): Omit<PublicConfig, 'pause'> {
  const { productName, network, settleAt: commitment, demo, holdSeconds } = config
  const fee = { basisPoints: config.fee.basisPoints }
  const demoWallet = demo && network === 'localnet'
  return { productName, network, commitment, demo, demoWallet, holdSeconds, fee, publicOrigin: phoneOrigin(config) ?? null, version }
}
