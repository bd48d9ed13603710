/** What a studio key or a staff member may do. No scope includes another. */
export const scopes = ['read', 'credit', 'debit', 'checkout', 'cases', 'rules', 'admin'] as const

export type Scope = (typeof scopes)[number]

/** Of a member of the staff, unless others are named. */
export const staffScopes = ['read', 'cases', 'rules'] as const satisfies readonly Scope[]

/** The name of `STUDIO_API_KEY` in the studio's log. No other key may have it. */
export const ROOT_KEY = 'root key'
