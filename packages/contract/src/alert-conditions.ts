/** The bounds of a threshold, inclusive. All thresholds are whole numbers. */
export interface ThresholdBounds {
  readonly min: number;
  readonly max: number;
}

/** The names of thresholds, in the order in which people read them. */
export const alertThresholds = ['percentAbove', 'timesAbove', 'requestsMin', 'minutes', 'days'] as const;

export type AlertThreshold = (typeof alertThresholds)[number];

/** A kind of condition that an alert rule can have. */
export interface AlertConditionDescription {
  /** The thresholds that it takes, all of which must be given. */
  readonly thresholds: Readonly<Partial<Record<AlertThreshold, ThresholdBounds>>>;
}

const table = {
  failure_rate: {
    thresholds: {
      percentAbove: { min: 0, max: 99 },
      requestsMin: { min: 1, max: 1_000_000 },
      minutes: { min: 5, max: 60 },
    },
  },
  no_requests: {
    thresholds: { minutes: { min: 5, max: 43_200 } },
  },
  key_due: {
    thresholds: { days: { min: 1, max: 90 } },
  },
  new_address: {
    thresholds: {},
  },
  rate_limited: {
    thresholds: { timesAbove: { min: 0, max: 1_000_000 }, minutes: { min: 5, max: 60 } },
  },
} as const satisfies Readonly<Record<string, AlertConditionDescription>>;

export type AlertConditionKind = keyof typeof table;

/** Every kind of condition, in the order in which people see them. */
export const alertConditions: Readonly<Record<AlertConditionKind, AlertConditionDescription>> = table;

export const alertConditionKinds: readonly AlertConditionKind[] = Object.keys(table) as AlertConditionKind[];

/** Why an alert ended. */
export const alertEndReasons = ['condition_ended', 'rule_changed', 'rule_off', 'client_gone'] as const;

export type AlertEndReason = (typeof alertEndReasons)[number];

/** Limits of alert rules. */
export const alertLimits = {
  perAccountMax: 50,
  /** The keys, or new addresses, that one rule tells of at the same time. */
  firingMax: 20,
  /** How long an alert of requests must not hold before it ends, and how long after its end it cannot fire again. */
  quietMinutes: 10,
  /** How long an address is new, and how long a client's addresses are only learned. */
  newAddressHours: 24,
  /** An address that a client did not use for so long is new again. */
  addressDays: 90,
  /** The addresses that are known of a client. Nobody is told of further ones. */
  addressesMax: 1000,
} as const;
