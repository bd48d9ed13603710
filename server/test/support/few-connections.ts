/** Of a market's tests. To open a connection and plan its first statements costs as much as a hundred statements after them. */
export const FEW_CONNECTIONS = { connections: 4 }
