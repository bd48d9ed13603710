/** What a studio key or a member of the staff may do. Scopes do not contain each other. */
export const scopes = ['read', 'credit', 'debit', 'cases', 'rules', 'admin'] as const

export type Scope = (typeof scopes)[number]

/** Of a member of the staff, unless others are named. */
export const staffScopes = ['read', 'cases', 'rules'] as const satisfies readonly Scope[]

/** What the studio's log calls `STUDIO_API_KEY`. No other key may be called so. */
export const ROOT_KEY = 'root key'
