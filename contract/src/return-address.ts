/** Parts of an address as `URL` has them. */
interface AddressParts {
  protocol: string
  hostname: string
  username: string
  password: string
}

/** Whether players may be sent back to an address: nobody on the way can read or change what is sent there, and its host is what it seems. */
export function isSafeReturn({ protocol, hostname, username, password }: AddressParts): boolean {
  const isPrivate = protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
  return isPrivate && username === '' && password === ''
}

/** Of a host name as `URL` has it, in which every form of an IPv4 address is four numbers. */
function isLoopbackHost(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(?:\.\d+){3}$/.test(name)
}
