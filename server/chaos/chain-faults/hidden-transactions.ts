/** The transactions that the proxy hides, each during a span of time. */
export interface HiddenTransactions {
  /** Those hidden for ever. */
  permanent: ReadonlySet<string>
  isHidden(signature: string): boolean
  isPermanent(signature: string): boolean
  /** Hides a transaction for `millis`, starting in `afterMillis`. */
  hide(signature: string, span: { afterMillis: number; millis: number }): void
}

export function createHiddenTransactions(): HiddenTransactions {
  const spans = new Map<string, { from: number; until: number }>()
  const permanent = new Set<string>()
  const isHidden = (signature: string): boolean => {
    const span = spans.get(signature)
    return span !== undefined && span.from <= Date.now() && Date.now() < span.until
  }
  return {
    permanent,
    isHidden,
    isPermanent: (signature) => permanent.has(signature) && isHidden(signature),
    hide: (signature, { afterMillis, millis }) => {
      const from = Date.now() + afterMillis
      spans.set(signature, { from, until: from + millis })
      if (millis === Number.POSITIVE_INFINITY) permanent.add(signature)
    },
  }
}
