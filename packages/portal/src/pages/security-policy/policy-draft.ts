import type { Features, SecurityPolicy, SecurityPolicyChange } from '@countersign/contract';
import type { NetworkItem } from '../../network/network-item.ts';

/** A policy being edited, with the numbers as typed. */
export interface PolicyDraft {
  readonly isSecondFactorRequired: boolean;
  readonly limitsSession: boolean;
  readonly sessionHours: number | string;
  readonly limitsKeyAge: boolean;
  readonly keyAgeDays: number | string;
  readonly limitsRequestsKept: boolean;
  readonly requestsKeptDays: number | string;
  readonly portalNetworks: readonly NetworkItem[];
  /** The text in the field for the next network. */
  readonly networkDraft: string;
  readonly isSecondPersonRequired: boolean;
}

export const policyLimits = { sessionHours: 720, keyAgeDays: 3650, requestsKeptDays: 3650 } as const;

/** Suggested where there is no limit yet. */
const proposed = { sessionHours: 12, keyAgeDays: 90, requestsKeptDays: 7 };

export function policyDraftOf(policy: SecurityPolicy): PolicyDraft {
  return {
    isSecondFactorRequired: policy.isSecondFactorRequired,
    limitsSession: policy.sessionHoursMax !== null,
    sessionHours: policy.sessionHoursMax ?? proposed.sessionHours,
    limitsKeyAge: policy.keyAgeDaysMax !== null,
    keyAgeDays: policy.keyAgeDaysMax ?? proposed.keyAgeDays,
    limitsRequestsKept: policy.requestsKeptDays !== null,
    requestsKeptDays: policy.requestsKeptDays ?? proposed.requestsKeptDays,
    portalNetworks: policy.portalNetworks,
    networkDraft: '',
    isSecondPersonRequired: policy.isSecondPersonRequired,
  };
}

/** Returns the policy a valid draft asks for. */
export function policyOf(draft: PolicyDraft): SecurityPolicy {
  return {
    isSecondFactorRequired: draft.isSecondFactorRequired,
    sessionHoursMax: draft.limitsSession ? Number(draft.sessionHours) : null,
    keyAgeDaysMax: draft.limitsKeyAge ? Number(draft.keyAgeDays) : null,
    requestsKeptDays: draft.limitsRequestsKept ? Number(draft.requestsKeptDays) : null,
    portalNetworks: draft.portalNetworks.map(({ entry, label }) => ({ entry, label })),
    isSecondPersonRequired: draft.isSecondPersonRequired,
  };
}

/** Returns only what the draft changes. */
export function policyChange(draft: PolicyDraft, policy: SecurityPolicy): SecurityPolicyChange {
  const next = policyOf(draft);
  return {
    ...(next.isSecondFactorRequired !== policy.isSecondFactorRequired && {
      isSecondFactorRequired: next.isSecondFactorRequired,
    }),
    ...(next.sessionHoursMax !== policy.sessionHoursMax && { sessionHoursMax: next.sessionHoursMax }),
    ...(next.keyAgeDaysMax !== policy.keyAgeDaysMax && { keyAgeDaysMax: next.keyAgeDaysMax }),
    ...(next.requestsKeptDays !== policy.requestsKeptDays && { requestsKeptDays: next.requestsKeptDays }),
    ...(!areSameNetworks(next.portalNetworks, policy.portalNetworks) && {
      portalNetworks: next.portalNetworks,
    }),
    ...(next.isSecondPersonRequired !== policy.isSecondPersonRequired && {
      isSecondPersonRequired: next.isSecondPersonRequired,
    }),
  };
}

function areSameNetworks(one: readonly NetworkItem[], other: readonly NetworkItem[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ entry, label }, index) => entry === other[index]?.entry && label === other[index].label)
  );
}

/** Returns the most days that an account can keep requests: as many as the service does. */
export function keptDaysMax({ days }: Features['requestsKept']): number {
  return days === 0 ? policyLimits.requestsKeptDays : days;
}

/** Accepts whole numbers from 1 to `max`, typed or as a number. */
export function isWhole(value: number | string, max: number): boolean {
  const number = value === '' ? Number.NaN : Number(value);
  return Number.isInteger(number) && number >= 1 && number <= max;
}
