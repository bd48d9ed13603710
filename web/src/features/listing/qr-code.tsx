import { useMemo, useState } from 'react'

import { Button } from '../../ui/button.tsx'
import { drawCode } from './draw-code.ts'

/** How long "Copied" is shown. */
const COPIED_MS = 1_500

/** A QR code to scan from a screen, with its content as text and a button to copy it. Dark on light in both themes, as cameras expect. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => drawCode(text), [text])
  const [copied, setCopied] = useState(false)
  const copy = () =>
    void navigator.clipboard.writeText(text).then(() => {
      setCopied(true)
      setTimeout(() => setCopied(false), COPIED_MS)
    })
  return (
    <figure className="grid gap-3">
      <svg
        viewBox={`0 0 ${size} ${size}`}
        role="img"
        aria-label={label}
        shapeRendering="crispEdges"
        className="mx-auto aspect-square w-full max-w-80 rounded-field forced-color-adjust-none"
      >
        <rect width={size} height={size} fill="#fff" />
        <path d={path} fill="#14121f" />
      </svg>
      <figcaption className="flex items-center gap-3 rounded-field bg-well py-2 pr-2 pl-4">
        <code className="line-clamp-2 min-w-0 flex-1 text-tiny text-dim wrap-anywhere">{text}</code>
        <Button small onClick={copy}>
          {copied ? 'Copied' : 'Copy'}
        </Button>
      </figcaption>
    </figure>
  )
}
