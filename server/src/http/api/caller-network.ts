import { isIPv6 } from 'node:net'

/** What counts as one caller: an IPv4 address, or the /64 of an IPv6 one, which one person owns whole. */
export function callerNetwork(ip: string): string {
  const address = ip.replace(/^::ffff:(?=[\d.]+$)/i, '')
  if (!isIPv6(address)) return address
  const [start = '', end = ''] = address.split('::')
  const before = groupsOf(start)
  const after = groupsOf(end)
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after].slice(0, 4).map(withoutLeadingZeros).join(':')
}

function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':')
}

function withoutLeadingZeros(group: string): string {
  return Number.parseInt(group, 16).toString(16)
}
