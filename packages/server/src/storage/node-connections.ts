/** The connections to PostgreSQL that each node opens in addition to the pool of `databaseConnectionsMax`. */
export const nodeConnections = {
  registry: 2,
  registryChanges: 1,
  guard: 3,
  guardUpkeep: 1,
  requestLog: 1,
} as const;
