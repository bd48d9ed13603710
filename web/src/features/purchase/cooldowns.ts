import { useEffect, useMemo } from 'react'
import { create } from 'zustand'

/** A wallet may not hold a listing before `until`, in milliseconds by this browser's clock. */
interface Cooldown {
  walletAddress: string
  listingId: string
  until: number
}

/** Local storage key: cooldowns outlive a reload, since the server answers the same after it. */
const COOLDOWNS_KEY = 'cooldowns'
const MAX_KEPT = 100
/** No cooldown of the server is longer, so a later end means that this browser's clock was changed. */
const LONGEST_MS = 24 * 60 * 60 * 1_000

const useStore = create<{ cooldowns: readonly Cooldown[] }>()(() => ({ cooldowns: readCooldowns() }))

/** Notes that the server refuses a wallet a listing for so many seconds. */
export function startCooldown(walletAddress: string, listingId: string, seconds: number): void {
  const others = useStore.getState().cooldowns.filter((other) => other.walletAddress !== walletAddress || other.listingId !== listingId)
  keep([...others, { walletAddress, listingId, until: Date.now() + seconds * 1_000 }])
}

/** When the cooldowns of a wallet end, by listing; a visitor has none. Those that have ended leave by themselves. */
export function useCooldowns(walletAddress: string | undefined): ReadonlyMap<string, number> {
  const { cooldowns } = useStore()
  useEffect(() => {
    const next = Math.min(...cooldowns.map(({ until }) => until))
    if (!Number.isFinite(next)) return undefined
    const timer = setTimeout(() => keep(useStore.getState().cooldowns), Math.max(0, next - Date.now()))
    return () => clearTimeout(timer)
  }, [cooldowns])
  return useMemo(
    () =>
      new Map(cooldowns.filter((cooldown) => cooldown.walletAddress === walletAddress).map(({ listingId, until }) => [listingId, until])),
    [cooldowns, walletAddress],
  )
}

function keep(all: readonly Cooldown[]): void {
  const cooldowns = all.filter(isRunning).slice(-MAX_KEPT)
  localStorage.setItem(COOLDOWNS_KEY, JSON.stringify(cooldowns))
  useStore.setState({ cooldowns })
}

function readCooldowns(): readonly Cooldown[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(COOLDOWNS_KEY) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isCooldown).filter(isRunning) : []
  } catch {
    return []
  }
}

function isCooldown(value: unknown): value is Cooldown {
  if (typeof value !== 'object' || value === null || !('walletAddress' in value && 'listingId' in value && 'until' in value)) return false
  return typeof value.walletAddress === 'string' && typeof value.listingId === 'string' && typeof value.until === 'number'
}

function isRunning({ until }: Cooldown): boolean {
  return until > Date.now() && until <= Date.now() + LONGEST_MS
}
