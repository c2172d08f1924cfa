/** How long a session lasts. */
export interface SessionLimits {
  /**
   * Without activity. The page reports activity itself; requests don't count, because an open page sends some on its own.
   */
  readonly idleMinutes: number;
  /** In all. */
  readonly hours: number;
}

/** The limits of most people. No session lasts longer; accounts may allow less. */
export const longestSession: SessionLimits = { idleMinutes: 12 * 60, hours: 168 };

/**
 * How long the sessions of owners and of the operator's people last in all: a working day, as NIST SP 800-63B has it for AAL3.
 * The 15 idle minutes, the setting's default, are also those of PCI DSS 8.2.8.
 */
const ownerHoursMax = 12;

/**
 * Returns a person's limits. One account that they own, or a place in the operator's account, makes the shorter ones apply
 * to all that they do: the session is the same, whichever account it is used for.
 *
 * @param ownerIdleMinutes the setting
 */
export function limitsOf(isOwnerOrOperator: boolean, ownerIdleMinutes: number): SessionLimits {
  return isOwnerOrOperator ? { idleMinutes: ownerIdleMinutes, hours: ownerHoursMax } : longestSession;
}

/** The times of a session that decide when it ends. */
export interface SessionTimes {
  readonly startedAtMs: number;
  readonly lastSeenAtMs: number;
  /** The session ends then at the latest, whatever the limits. */
  readonly expiresAtMs: number;
}

/** When a session ends if its person does nothing more, and when it ends in any case. */
export interface SessionEnds {
  readonly idleEndsAtMs: number;
  readonly expiresAtMs: number;
}

export function endsOf(
  { startedAtMs, lastSeenAtMs, expiresAtMs }: SessionTimes,
  { idleMinutes, hours }: SessionLimits,
): SessionEnds {
  return {
    idleEndsAtMs: lastSeenAtMs + idleMinutes * minuteMs,
    expiresAtMs: Math.min(expiresAtMs, startedAtMs + hours * 60 * minuteMs),
  };
}

export function isOpenAt({ idleEndsAtMs, expiresAtMs }: SessionEnds, nowMs: number): boolean {
  return nowMs < idleEndsAtMs && nowMs < expiresAtMs;
}

const minuteMs = 60_000;
