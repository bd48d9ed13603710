import { create } from 'zustand'

export type ToastTone = 'good' | 'bad' | 'plain'

export interface Toast {
  id: number
  text: string
  tone: ToastTone
}

/** The app's notices: the red banner, if there is one, and the toasts, oldest first. */
export interface Notices {
  banner: { id: number; text: string } | undefined
  toasts: readonly Toast[]
}

export type NoticeChange =
  | { kind: 'show banner'; id: number; text: string }
  | { kind: 'dismiss banner' }
  | { kind: 'show toast'; toast: Toast }
  | { kind: 'dismiss toast'; id: number }

/** A toast stays long enough to be read twice. */
const TOAST_MS = 6_000
const TOAST_MS_PER_CHARACTER = 40
const MAX_TOASTS = 4

export const noNotices: Notices = { banner: undefined, toasts: [] }

/** Applies one change. A new banner replaces the old one; of the toasts only the newest stay. */
export function changeNotices(notices: Notices, change: NoticeChange): Notices {
  switch (change.kind) {
    case 'show banner':
      return { ...notices, banner: { id: change.id, text: change.text } }
    case 'dismiss banner':
      return { ...notices, banner: undefined }
    case 'show toast':
      return { ...notices, toasts: [...notices.toasts, change.toast].slice(-MAX_TOASTS) }
    case 'dismiss toast':
      return { ...notices, toasts: notices.toasts.filter(({ id }) => id !== change.id) }
  }
}

/** @returns how long a toast stays, in milliseconds */
export function toastDuration(text: string): number {
  return TOAST_MS + text.length * TOAST_MS_PER_CHARACTER
}

/**
 * What the notice area shows. A store, and no context of React's: when a context changes, React may build parts that are not alive yet once
 * more, without what was typed in them.
 */
export const useNotices = create<Notices>()(() => noNotices)

let lastId = 0

function change(made: NoticeChange): void {
  useNotices.setState((current) => changeNotices(current, made))
}

/** Shows the red banner, in place of an earlier one. It stays until it is dismissed, or the person tries something else. */
export function showBanner(text: string): void {
  change({ kind: 'show banner', id: ++lastId, text })
}

/** Also what an action of the person's begins with, so that an old failure does not stand beside a later success. */
export function dismissBanner(): void {
  change({ kind: 'dismiss banner' })
}

/** Shows a short message that disappears on its own. */
export function showToast(text: string, tone: ToastTone = 'plain'): void {
  change({ kind: 'show toast', toast: { id: ++lastId, text, tone } })
}

export function dismissToast(id: number): void {
  change({ kind: 'dismiss toast', id })
}
