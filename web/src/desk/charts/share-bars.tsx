interface Share {
  key: string
  label: string
  value: number
  /** The value in words. */
  text: string
  /** Which drink's colour; without it, the colour of warnings. */
  token?: string
}

/** A few values as bars that lie below each other, the longest as wide as there is room. Their text is beside them, so they need no scale. */
export function ShareBars({ shares, tone }: { shares: readonly Share[]; tone: 'drink' | 'warn' }) {
  const most = Math.max(1e-12, ...shares.map(({ value }) => value))
  return (
    <ul className="grid flex-1 content-evenly gap-3">
      {shares.map(({ key, label, value, text, token }) => (
        <li key={key} data-token={token} className="grid gap-1.5">
          <p className="flex items-baseline justify-between gap-3 text-small">
            <span className="flex items-center gap-2 font-semibold">
              {token && <span className="dot" />}
              {label}
            </span>
            <span className="figures text-dim">{text}</span>
          </p>
          <svg width="100%" height="10" aria-hidden="true" className="block">
            <rect width="100%" height="10" rx="5" className="fill-well" />
            {value > 0 && (
              <rect
                width={`${Math.max(1.5, (value / most) * 100)}%`}
                height="10"
                rx="5"
                className={tone === 'drink' ? 'chart-drink' : 'fill-warn'}
              />
            )}
          </svg>
        </li>
      ))}
    </ul>
  )
}
