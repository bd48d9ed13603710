import ipaddr from 'ipaddr.js'

/** Azure's metadata service: the only one on a public address. */
const metadata = new Set(['168.63.129.16'])
/** All public IPv6 addresses are in here. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an IP address is public, so that a message may be sent to it. Loopback, private, link-local, shared, metadata, multicast and
 * reserved addresses are not, nor are those of IPv6 that stand for one of IPv4 elsewhere (NAT64, 6to4, Teredo). One that is merely written
 * as IPv6 counts as what it is.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  if (address.range() !== 'unicast' || metadata.has(address.toString())) return false
  return address.kind() === 'ipv4' || (address instanceof ipaddr.IPv6 && address.match(globalUnicast))
}

/** Whether a URL names an IP address literally, in whatever way it is written, that is not public. */
export function namesPrivateAddress({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(host) && !isPublicAddress(host)
}
