/** What a studio key may do. Scopes do not contain each other. */
export const scopes = ['read', 'credit', 'debit', 'cases', 'rules', 'admin'] as const

export type Scope = (typeof scopes)[number]

/** What the studio's log calls `STUDIO_API_KEY`. No other key may be called so. */
export const ROOT_KEY = 'root key'
