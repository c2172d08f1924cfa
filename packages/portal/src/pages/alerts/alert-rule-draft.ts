import {
  type AlertCondition,
  type AlertConditionKind,
  alertConditions,
  type AlertRule,
  type AlertThreshold,
  alertThresholds,
  type ApiError,
} from '@countersign/contract';
import type { Mistakes } from '../../components/form-state.ts';
import { alerts } from '#messages/alerts.ts';

const t = alerts.form;

export const durationUnits = { minutes: 1, hours: 60, days: 1440 } as const;
export type DurationUnit = keyof typeof durationUnits;

/** What the form says about a rule. Thresholds of other kinds are kept, so that going back loses nothing. */
export interface AlertRuleDraft {
  readonly name: string;
  readonly kind: AlertConditionKind;
  /** Undefined for the whole account. */
  readonly clientId: string | undefined;
  readonly percentAbove: string;
  readonly timesAbove: string;
  readonly requestsMin: string;
  readonly minutes: string;
  readonly days: string;
  /** How long there are no requests, in a unit. */
  readonly silentFor: string;
  readonly unit: DurationUnit;
  readonly inInbox: boolean;
  readonly byMail: boolean;
  readonly byWebhook: boolean;
  readonly isEnabled: boolean;
}

export const emptyAlertRuleDraft: AlertRuleDraft = {
  name: '',
  kind: 'failure_rate',
  clientId: undefined,
  percentAbove: '20',
  timesAbove: '10',
  requestsMin: '50',
  minutes: '15',
  days: '14',
  silentFor: '2',
  unit: 'hours',
  inInbox: true,
  byMail: true,
  byWebhook: false,
  isEnabled: true,
};

/** What the service gets. */
export type AlertRuleBody = Pick<AlertRule, 'name' | 'condition' | 'isEnabled' | 'channels'> & {
  readonly clientId: string | null;
};

export function draftOf({ name, condition, client, isEnabled, channels }: AlertRule): AlertRuleDraft {
  const { kind, minutes, ...limits } = condition;
  const texts = Object.fromEntries(Object.entries(limits).map(([limit, value]) => [limit, String(value)]));
  return {
    ...emptyAlertRuleDraft,
    name,
    kind,
    clientId: client?.clientId,
    ...texts,
    ...(minutes !== undefined &&
      (kind === 'no_requests' ? durationOf(minutes) : { minutes: String(minutes) })),
    ...channels,
    isEnabled,
  };
}

function durationOf(minutes: number): Pick<AlertRuleDraft, 'silentFor' | 'unit'> {
  const unit = (['days', 'hours'] as const).find((one) => minutes % durationUnits[one] === 0) ?? 'minutes';
  return { silentFor: String(minutes / durationUnits[unit]), unit };
}

export function bodyOf(draft: AlertRuleDraft): AlertRuleBody {
  const { name, clientId = null, isEnabled, inInbox, byMail, byWebhook } = draft;
  return {
    name: name.trim(),
    condition: conditionOf(draft),
    clientId,
    isEnabled,
    channels: { inInbox, byMail, byWebhook },
  };
}

/** Returns the condition with the thresholds of its kind, which may be wrong. */
export function conditionOf(draft: AlertRuleDraft): AlertCondition {
  const { kind } = draft;
  const limits = alertThresholds
    .filter((name) => Object.hasOwn(alertConditions[kind].thresholds, name))
    .map((name) => [name, numberIn(draft, name)] as const);
  return { kind, ...Object.fromEntries(limits) };
}

function numberIn(draft: AlertRuleDraft, name: AlertThreshold): number {
  if (draft.kind === 'no_requests' && name === 'minutes')
    return wholeNumber(draft.silentFor) * durationUnits[draft.unit];
  return wholeNumber(draft[name]);
}

function wholeNumber(text: string): number {
  return /^[0-9]{1,9}$/.test(text.trim()) ? Number(text.trim()) : Number.NaN;
}

/** Finds mistakes that need no service. */
export function checkDraft(draft: AlertRuleDraft): Mistakes {
  const { name, inInbox, byMail, byWebhook } = draft;
  const length = Array.from(name.trim()).length;
  return {
    ...((length === 0 || length > 100) && { name: t.nameWrong }),
    ...thresholdMistakes(draft),
    ...(!inInbox && !byMail && !byWebhook && { byWebhook: t.noChannel }),
  };
}

/** Finds the thresholds that are out of bounds. */
export function thresholdMistakes(draft: AlertRuleDraft): Mistakes {
  const { kind } = draft;
  const { thresholds } = alertConditions[kind];
  const wrong = alertThresholds.flatMap((name) => {
    const bounds = thresholds[name];
    if (bounds === undefined) return [];
    const value = numberIn(draft, name);
    if (value >= bounds.min && value <= bounds.max) return [];
    return [
      kind === 'no_requests'
        ? (['silentFor', t.durationWrong] as const)
        : ([name, t.wrong(bounds.min, bounds.max)] as const),
    ];
  });
  return Object.fromEntries(wrong);
}

export function isSameContent(one: AlertRuleDraft, other: AlertRuleDraft): boolean {
  return JSON.stringify(bodyOf(one)) === JSON.stringify(bodyOf(other));
}

/** Assigns a rejection to fields. */
export function placeOfProblem({ errors }: ApiError): Mistakes | undefined {
  const placed = errors.map(({ pointer, detail }) => {
    const [, first = '', second = ''] = pointer.split('/');
    return [first === 'condition' ? second : first === 'channels' ? 'byWebhook' : first, detail] as const;
  });
  const isComplete = placed.length > 0 && placed.every(([name]) => Object.hasOwn(emptyAlertRuleDraft, name));
  return isComplete ? Object.fromEntries(placed) : undefined;
}
