/** The npm package with Surfpool's runtime for this machine; it is there only on platforms that have one. */
export function surfpoolPackage(): string {
  const libc = process.platform === 'linux' ? '-gnu' : ''
  return `@solana/surfpool-${process.platform}-${process.arch}${libc}`
}
