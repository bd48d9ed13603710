/** What a studio key may do. Scopes do not contain each other. */
export const scopes = ['read', 'credit', 'debit', 'cases', 'rules', 'admin'] as const

export type Scope = (typeof scopes)[number]
