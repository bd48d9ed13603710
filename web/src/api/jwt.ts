/** Local storage key of the session token (specification, section 9). */
const TOKEN_KEY = 'jwt_token'

/** The session token; undefined for a visitor. */
export function readToken(): string | undefined {
  return localStorage.getItem(TOKEN_KEY) ?? undefined
}

export function writeToken(token: string): void {
  localStorage.setItem(TOKEN_KEY, token)
}

export function clearToken(): void {
  localStorage.removeItem(TOKEN_KEY)
}

/** Tells when another tab signed in (its token) or out (undefined). Gives back the way to stop listening. */
export function onTokenChangedElsewhere(listener: (token: string | undefined) => void): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.storageArea !== localStorage) return
    if (event.key === TOKEN_KEY || event.key === null) listener(readToken())
  }
  window.addEventListener('storage', onStorage)
  return () => window.removeEventListener('storage', onStorage)
}
