import type { SecurityPolicy, SecurityPolicyChange } from '@countersign/contract';

/** The policy while it is written: numbers as they are typed. */
export interface PolicyDraft {
  readonly isSecondFactorRequired: boolean;
  readonly limitsSession: boolean;
  readonly sessionHours: number | string;
  readonly limitsKeyAge: boolean;
  readonly keyAgeDays: number | string;
}

/** What is proposed where there is no limit yet. */
const proposed = { sessionHours: 12, keyAgeDays: 90 };

/** A policy as it can be changed. */
export function policyDraftOf(policy: SecurityPolicy): PolicyDraft {
  return {
    isSecondFactorRequired: policy.isSecondFactorRequired,
    limitsSession: policy.sessionHoursMax !== null,
    sessionHours: policy.sessionHoursMax ?? proposed.sessionHours,
    limitsKeyAge: policy.keyAgeDaysMax !== null,
    keyAgeDays: policy.keyAgeDaysMax ?? proposed.keyAgeDays,
  };
}

/** What a draft asks for; only sensible when it has no errors. */
export function policyOf(draft: PolicyDraft): SecurityPolicy {
  return {
    isSecondFactorRequired: draft.isSecondFactorRequired,
    sessionHoursMax: draft.limitsSession ? Number(draft.sessionHours) : null,
    keyAgeDaysMax: draft.limitsKeyAge ? Number(draft.keyAgeDays) : null,
  };
}

/** What a draft changes of a policy. */
export function policyChange(draft: PolicyDraft, policy: SecurityPolicy): SecurityPolicyChange {
  const next = policyOf(draft);
  return {
    ...(next.isSecondFactorRequired !== policy.isSecondFactorRequired && {
      isSecondFactorRequired: next.isSecondFactorRequired,
    }),
    ...(next.sessionHoursMax !== policy.sessionHoursMax && { sessionHoursMax: next.sessionHoursMax }),
    ...(next.keyAgeDaysMax !== policy.keyAgeDaysMax && { keyAgeDaysMax: next.keyAgeDaysMax }),
  };
}

/** Which numbers are none that the service takes. */
export function policyErrors(draft: PolicyDraft): readonly ('sessionHours' | 'keyAgeDays')[] {
  return [
    ...(draft.limitsSession && !isWhole(draft.sessionHours, 720) ? (['sessionHours'] as const) : []),
    ...(draft.limitsKeyAge && !isWhole(draft.keyAgeDays, 3650) ? (['keyAgeDays'] as const) : []),
  ];
}

function isWhole(value: number | string, max: number): boolean {
  const number = typeof value === 'number' ? value : Number(value === '' ? Number.NaN : value);
  return Number.isInteger(number) && number >= 1 && number <= max;
}
