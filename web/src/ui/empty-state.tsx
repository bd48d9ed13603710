import { type ReactNode } from 'react'

/** Says that there is nothing here, and what to do about it. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="card grid justify-items-center gap-4 px-6 py-16 text-center">
      <EmptyGlass />
      <h3 className="max-w-xl text-lead">{title}</h3>
      {children}
    </div>
  )
}

/** The picture of it. */
export function EmptyGlass() {
  return (
    <svg
      className="h-24 text-dim"
      viewBox="0 0 80 100"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M21 24l5 60c.4 5 3 7 8 7.4 5 .4 9 .4 14 0 5-.4 7.6-3 8-7.6l5-60" />
      <path d="M27 84c8 2.5 20 2.5 28 0" />
      <path d="M43 74L52 14c.5-3 2-4 5-3.5l10 3" opacity="0.6" />
    </svg>
  )
}
