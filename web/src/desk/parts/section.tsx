import { type ReactNode, useId } from 'react'

interface PartProps {
  title: string
  /** What it is for, in a sentence. */
  about?: ReactNode
  /** Its actions. */
  actions?: ReactNode
  children?: ReactNode
}

/** A part of a screen, with its title. */
export function Part({ title, about, actions, children }: PartProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="card grid content-start gap-4 p-4 sm:p-6">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 flex-1 basis-64">
          <h3 id={id} className="text-lead">
            {title}
          </h3>
          {about && <p className="mt-1 max-w-prose text-small text-dim">{about}</p>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </section>
  )
}

/** What is known of something, line by line. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="grid grid-cols-2 gap-x-6 gap-y-3 text-small lg:grid-cols-3">{children}</dl>
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-tiny text-dim">{name}</dt>
      <dd className="figures font-semibold wrap-anywhere">{children}</dd>
    </div>
  )
}

type Tone = 'good' | 'warn' | 'plain'

const tones: Record<Tone, string> = { good: 'text-good', warn: 'text-warn', plain: 'text-dim' }

/** One word for a state. */
export function Status({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className={`inline-flex items-center gap-1.5 text-tiny font-semibold whitespace-nowrap ${tones[tone]}`}>
      <span className="size-2 flex-none rounded-full bg-current forced-color-adjust-none" />
      {children}
    </span>
  )
}
