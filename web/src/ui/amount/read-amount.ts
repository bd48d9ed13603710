/** Reads a typed amount; undefined unless it is a whole number from 1 to `max`. */
export function readAmount(text: string, max: number): number | undefined {
  const amount = Number(text)
  return /^\d+$/.test(text.trim()) && amount >= 1 && amount <= max ? amount : undefined
}
