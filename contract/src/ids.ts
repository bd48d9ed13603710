const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a text is a UUID, as every id is. The database refuses to compare anything else with a uuid column. */
export function isId(text: string): boolean {
  return uuid.test(text)
}
