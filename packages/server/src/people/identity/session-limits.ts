/** The limits on a session's duration. */
export interface SessionLimits {
  /**
   * Minutes without activity. The page reports activity itself; requests don't count, because an open page
   * sends some on its own.
   */
  readonly idleMinutes: number;
  /** Hours in total. */
  readonly hours: number;
}

/** The limits of most people. No session lasts longer; accounts may allow less. */
export const longestSession: SessionLimits = { idleMinutes: 12 * 60, hours: 168 };

/**
 * The total hours of the sessions of owners and of the operator's people: a working day, as NIST SP 800-63B
 * recommends for AAL3. The setting's default of 15 idle minutes matches PCI DSS 8.2.8.
 */
const ownerHoursMax = 12;

/**
 * Returns a person's limits. If the person owns an account or is a member of the operator's, the shorter limits
 * apply in every account, because the session is the same.
 *
 * @param ownerIdleMinutes the setting: after so many idle minutes, the sessions of owners and operators end
 */
export function limitsOf(isOwnerOrOperator: boolean, ownerIdleMinutes: number): SessionLimits {
  return isOwnerOrOperator ? { idleMinutes: ownerIdleMinutes, hours: ownerHoursMax } : longestSession;
}

/** The times of a session that decide when it ends. */
export interface SessionTimes {
  readonly startedAtMs: number;
  readonly lastSeenAtMs: number;
  /** The latest end of the session, whatever the limits. */
  readonly expiresAtMs: number;
}

/** When a session ends without further activity, and when it ends in any case. */
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
