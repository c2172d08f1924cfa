/** What the program of a node is told, in one variable. */
export interface NodeSettings {
  /** Where connections to addresses that are not allowed would arrive. */
  readonly internalPort: number;
  /** For one attempt, in milliseconds. */
  readonly attemptMsMax: number;
  readonly leaseMs: number;
  readonly retryScale: number;
  /** The node kills itself when it comes here for the nth time after SIGUSR2. */
  readonly killAt?: { readonly step: string; readonly count: number };
}

export const nodeVariable = 'WEBHOOKS_TEST_NODE';

/** A host whose addresses change with every look-up: a public one, where nothing answers, and private ones. */
export const changingHost = 'changing.example.com';
/** An address that the operator trusts, behind which is the internal server: it proves that connections to it are counted. */
export const trustedInternalOrigin = 'http://10.0.0.7:8080';
