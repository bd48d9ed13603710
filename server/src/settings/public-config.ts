import { type PublicConfig } from '@juicebar/contract/schemas'

import { type Config, isLoopback } from './config.ts'

/** The https address at which phones reach the market; undefined if only this machine can reach it, or there is no certificate. */
export function phoneOrigin({ publicOrigin }: Pick<Config, 'publicOrigin'>): string | undefined {
  const { protocol, hostname, origin } = new URL(publicOrigin)
  return protocol === 'https:' && !isLoopback(hostname) ? origin : undefined
}

/** The addresses of the keys with which the market signs payments and refunds. */
interface CoSignerAddresses {
  current: string
  former: readonly string[]
  refund: string
}

/** The public settings, except for the pause, which changes. */
export function publicConfig(config: Config, coSigners: CoSignerAddresses, version: string): Omit<PublicConfig, 'pause'> {
  const { productName, network, settleAt: commitment, demo, holdSeconds, walletSends } = config
  return {
    productName,
    network,
    commitment,
    demo,
    demoWallet: demo && network === 'localnet',
    holdSeconds,
    fee: { basisPoints: config.fee.basisPoints },
    ...coSigning(config, coSigners),
    walletSends,
    publicOrigin: phoneOrigin(config) ?? null,
    version,
  }
}

/** Whoever audits the market needs all keys with which it has ever signed, even if it no longer does. */
function coSigning({ coSign }: Config, { current, former, refund }: CoSignerAddresses) {
  return coSign
    ? { coSigner: current, formerCoSigners: [...former], refundCoSigner: refund }
    : { coSigner: null, formerCoSigners: [current, ...former], refundCoSigner: null }
}
