import { createStore } from '../ui/store.ts'

export type ToastTone = 'good' | 'bad' | 'plain'

export interface Toast {
  id: number
  text: string
  tone: ToastTone
}

/** How long a toast stays: time to read it twice, and longer for a long one. */
const TOAST_MS = 6_000
const TOAST_MS_PER_CHARACTER = 40
const MOST_TOASTS = 4

/** What the red banner says; undefined while there is none. */
export const banner = createStore<{ id: number; text: string } | undefined>(undefined)
export const toasts = createStore<readonly Toast[]>([])

let lastId = 0

export function showBanner(text: string): void {
  banner.set({ id: ++lastId, text })
}

export function dismissBanner(): void {
  banner.set(undefined)
}

export function showToast(text: string, tone: ToastTone = 'plain'): void {
  const toast = { id: ++lastId, text, tone }
  toasts.set([...toasts.get(), toast].slice(-MOST_TOASTS))
  setTimeout(() => dismissToast(toast.id), TOAST_MS + text.length * TOAST_MS_PER_CHARACTER)
}

export function dismissToast(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id))
}
