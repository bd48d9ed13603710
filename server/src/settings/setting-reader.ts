export type Environment = Record<string, string | undefined>

export type Reader = ReturnType<typeof createReader>

/** Readers of single variables. Each returns a usable value, and adds to `problems` if the variable's own value is wrong. */
export function createReader(env: Environment, problems: string[]) {
  const isSet = (name: string) => env[name] !== undefined

  const text = (name: string): string | undefined => {
    const value = env[name]
    if (value === undefined || value.trim() !== '') return value
    problems.push(`${name} is set but empty. Give it a value or leave it out.`)
    return undefined
  }

  const matching = (name: string, isAllowed: (value: string) => boolean, allowed: string, fallback: string): string => {
    const value = text(name)
    if (value === undefined) return fallback
    if (isAllowed(value)) return value
    problems.push(`${name} is ${JSON.stringify(value)}. It must be ${allowed}.`)
    return fallback
  }

  const secret = (name: string, isAllowed: (value: string) => boolean, allowed: string): string | undefined => {
    const value = text(name)
    if (value === undefined || isAllowed(value)) return value
    problems.push(`${name} has a wrong value (${value.length} characters, not shown here). It must be ${allowed}.`)
    return undefined
  }

  const integer = (name: string, { min, max, default: fallback }: { min: number; max: number; default: number }): number => {
    const isInRange = (value: string) => /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max
    return Number(matching(name, isInRange, `a whole number from ${min} to ${max}`, String(fallback)))
  }

  const choice = <const T extends string>(name: string, values: readonly T[], fallback: T): T => {
    const value = matching(name, (given) => values.some((allowed) => allowed === given), oneOf(values), fallback)
    return values.find((allowed) => allowed === value) ?? fallback
  }

  return { isSet, text, matching, secret, integer, choice }
}

function oneOf(values: readonly string[]): string {
  return `one of ${values.map((value) => `"${value}"`).join(', ')}`
}
