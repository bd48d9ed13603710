/** Whether the call at a route's path can only be answered with the database. */
export function needsDatabase(url: string): boolean {
  return url.startsWith('/p/') || (url.startsWith('/api/') && url !== '/api/config' && url !== '/api/openapi.json')
}
