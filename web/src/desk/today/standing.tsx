import { useQuery } from '@tanstack/react-query'
import { type ReactNode } from 'react'

import { errorSentence } from '../../api/api-error.ts'
import { formatAmount } from '../../ui/format.ts'
import { openCasesQuery, pauseQuery, webhooksQuery } from '../api/desk-queries.ts'
import { useMay } from '../api/use-may.ts'
import { placeLink, type SectionName } from '../frame/places.ts'
import { howLong } from '../parts/moments.ts'
import { isBehind } from './figures.ts'

/** The current state of the market, the cases and the webhooks. Each links to its actions. */
export function Standing({ now }: { now: number }) {
  const pause = useQuery(pauseQuery)
  const cases = useQuery(openCasesQuery)
  const seesWebhooks = useMay('admin')
  const waiting = cases.data?.cases.length ?? 0
  return (
    <ul className="grid gap-4 sm:gap-5 md:auto-cols-fr md:grid-flow-col" aria-label="Status">
      <Tile section="market" name="Market" query={pause} tone={pause.data ? 'warn' : 'good'} word={pause.data ? 'Paused' : 'Open'}>
        {pause.data ? `for ${howLong(pause.data.since, now)}: “${pause.data.message}”` : 'Players list and buy.'}
      </Tile>
      <Tile
        section="cases"
        name="Open cases"
        query={cases}
        tone={waiting ? 'warn' : 'good'}
        word={waiting ? `${formatAmount(waiting)}${cases.data?.more ? ' or more' : ''}` : 'None'}
      >
        {waiting ? 'Payments that did not end in a delivery.' : 'Every payment ended in a delivery.'}
      </Tile>
      {seesWebhooks && <WebhooksTile now={now} />}
    </ul>
  )
}

function WebhooksTile({ now }: { now: number }) {
  const webhooks = useQuery(webhooksQuery)
  const all = webhooks.data?.length ?? 0
  const behind = webhooks.data?.filter((webhook) => isBehind(webhook, now)).length ?? 0
  return (
    <Tile
      section="webhooks"
      name="Webhooks"
      query={webhooks}
      tone={behind ? 'warn' : 'good'}
      word={behind ? `${behind} behind` : all ? 'Up to date' : 'None'}
    >
      {behind ? `of ${all}: messages wait.` : all ? `${all} in all, nothing waits.` : 'There is no webhook.'}
    </Tile>
  )
}

interface TileProps {
  section: SectionName
  name: string
  query: { data: unknown; error: Error | null }
  tone: 'good' | 'warn'
  word: string
  children: ReactNode
}

function Tile({ section, name, query: { data, error }, tone, word, children }: TileProps) {
  const known = data !== undefined
  return (
    <li>
      <a href={placeLink(section)} className="card tile grid h-full content-start gap-1 p-5">
        <span className="text-small text-dim">{name}</span>
        <span className="flex items-center gap-2.5 text-lead font-bold">
          <span
            className={`size-2.5 flex-none rounded-full forced-color-adjust-none ${known && !error ? (tone === 'good' ? 'bg-good' : 'bg-warn') : 'bg-edge'}`}
          />
          {known ? word : error ? 'Unknown' : '…'}
        </span>
        <span className="line-clamp-2 text-small text-dim wrap-anywhere">
          {error ? errorSentence(error, 'The reason is not known.') : known && children}
        </span>
      </a>
    </li>
  )
}
