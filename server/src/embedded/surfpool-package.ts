/** The npm package with Surfpool's runtime for this machine. It is installed only on the platforms that Surfpool supports. */
export function surfpoolPackage(): string {
  const libc = process.platform === 'linux' ? '-gnu' : ''
  return `@solana/surfpool-${process.platform}-${process.arch}${libc}`
}
