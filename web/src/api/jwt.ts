/** The local storage key of the session JWT (specification, section 9). */
const JWT_KEY = 'jwt_token'

/** @returns the session JWT; undefined for a visitor, as which the server renders */
export function readJwt(): string | undefined {
  return typeof localStorage === 'undefined' ? undefined : (localStorage.getItem(JWT_KEY) ?? undefined)
}

export function writeJwt(jwt: string): void {
  localStorage.setItem(JWT_KEY, jwt)
}

export function clearJwt(): void {
  localStorage.removeItem(JWT_KEY)
}

/**
 * Calls `listener` when another tab signs in (with its JWT) or out (with undefined).
 *
 * @returns a function that stops listening
 */
export function onJwtChangedElsewhere(listener: (jwt: string | undefined) => void): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.storageArea !== localStorage) return
    if (event.key === JWT_KEY || event.key === null) listener(readJwt())
  }
  window.addEventListener('storage', onStorage)
  return () => window.removeEventListener('storage', onStorage)
}
