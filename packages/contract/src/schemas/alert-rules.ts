import { z } from 'zod';
import {
  alertConditionKinds,
  alertConditions,
  type AlertConditionKind,
  alertEndReasons,
  alertLimits,
  type AlertThreshold,
  alertThresholds,
} from '../alert-conditions.ts';
import { accountId, body, createdAt, nameInput, page, type Shape, timestamp, updatedAt } from './parts.ts';
import { pageParameters, text } from './query-parameters.ts';

/** Here, because browsers that load the thresholds have sentences of their own. */
const summaries: Readonly<Record<AlertConditionKind, string>> = {
  failure_rate: 'More than this share of at least so many requests failed within minutes',
  no_requests: 'No request was accepted for minutes, after there were some',
  key_due: 'A key expires or reaches the maximum age within days, and no other key takes over',
  new_address: 'A request of a client was accepted from an address that it had not used for 90 days',
  rate_limited: 'The rate limit was reached more than so many times within minutes',
};

const thresholdTexts: Readonly<Record<AlertThreshold, string>> = {
  percentAbove: 'For `failure_rate`: fires above this share of failed requests, in percent.',
  timesAbove: 'For `rate_limited`: fires above this number of rejections.',
  requestsMin: 'For `failure_rate`: does not fire with fewer requests than this.',
  minutes: 'For all but `key_due` and `new_address`: the minutes that are looked at, up to now.',
  days: 'For `key_due`: how many days ahead.',
};

const kindAdvice = `Write a kind of condition: ${alertConditionKinds.join(', ')}.`;
const conditionKind = z
  .enum(alertConditionKinds as [AlertConditionKind], { error: kindAdvice })
  .describe(
    `What is watched. ${alertConditionKinds.map((one) => `\`${one}\`: ${summaries[one]}.`).join(' ')}`,
  );

function threshold(name: AlertThreshold): z.ZodOptional<z.ZodInt> {
  const all = alertConditionKinds.flatMap((kind) => alertConditions[kind].thresholds[name] ?? []);
  const min = Math.min(...all.map((bounds) => bounds.min));
  const max = Math.max(...all.map((bounds) => bounds.max));
  const error = `Write ${name} as a whole number from ${min} to ${max}.`;
  return z.optional(z.int({ error }).min(min, { error }).max(max, { error })).describe(thresholdTexts[name]);
}

const thresholds = {
  percentAbove: threshold('percentAbove'),
  timesAbove: threshold('timesAbove'),
  requestsMin: threshold('requestsMin'),
  minutes: threshold('minutes'),
  days: threshold('days'),
} satisfies Record<AlertThreshold, z.ZodType>;

const shownCondition = z
  .strictObject({ kind: conditionKind, ...thresholds })
  .describe('When the rule fires: a kind with its thresholds.');

const condition = z
  .strictObject(
    { kind: conditionKind, ...thresholds },
    { error: ({ code }) => (code === 'invalid_type' ? 'Write the condition as an object.' : undefined) },
  )
  .check(({ value, issues }) => {
    const wanted = alertConditions[value.kind].thresholds;
    for (const name of alertThresholds) {
      const message = problemOfThreshold(value[name], wanted[name], name, value.kind);
      if (message !== undefined) issues.push({ code: 'custom', message, path: [name], input: value });
    }
  })
  .describe('When the rule fires: a kind with all its thresholds.');

function problemOfThreshold(
  value: number | undefined,
  bounds: { readonly min: number; readonly max: number } | undefined,
  name: AlertThreshold,
  kind: AlertConditionKind,
): string | undefined {
  if (bounds === undefined)
    return value === undefined ? undefined : `Leave this field out: ${kind} does not use it.`;
  if (value !== undefined && value >= bounds.min && value <= bounds.max) return undefined;
  return `${kind} needs ${name}: a whole number from ${bounds.min} to ${bounds.max}.`;
}

const boolean = z.boolean({ error: 'Write true or false.' });
const channelMembers = {
  inInbox: boolean.describe("Whether the portal's inbox shows its alerts."),
  byMail: boolean.describe('Whether its alerts are sent by email.'),
  byWebhook: boolean.describe(
    'Whether its alerts are events: `alert.fired` and `alert.resolved`, for the webhooks that want them.',
  ),
};
const channelsText = 'How people are told. At least one is true.';
const channels = z
  .strictObject(channelMembers, {
    error: ({ code }) => (code === 'invalid_type' ? 'Write the channels as an object.' : undefined),
  })
  .refine((value) => value.inInbox || value.byMail || value.byWebhook, {
    error: 'Choose at least one of inInbox, byMail and byWebhook.',
  })
  .describe(channelsText);

const clientAdvice = "Write the clientId of one of the account's clients, or null for the whole account.";
const clientIdInput = z
  .nullable(
    z.string({ error: clientAdvice }).min(1, { error: clientAdvice }).max(256, { error: clientAdvice }),
  )
  .describe('The only client that it watches; null for the whole account.');
const isEnabled = boolean.describe('Whether it is looked at. Switching it off ends its alerts.');

const value = z
  .strictObject({
    value: z
      .nullable(z.number())
      .describe(
        'The failed requests in percent, the minutes without a request, the times, or the number of keys or addresses. Null if there is nothing to measure.',
      ),
    requests: z.optional(z.int()).describe('Only of `failure_rate`: the requests that were counted.'),
    isMet: z.boolean().describe('Whether the condition holds now.'),
  })
  .describe('What a condition measures now.');

/** An alert, in notices, events and lists. */
const alertMembers = {
  alertId: z.string().describe('The ID of the alert, the same when it fires and when it ends.'),
  clientId: z.optional(z.string()).describe('The client that it is about; absent for the whole account.'),
  firedAt: timestamp.describe('When it began.'),
  value: z.nullable(z.number()).describe('What was measured when it fired, as in `current` of a rule.'),
  requests: z.optional(z.int()).describe('Only of `failure_rate`: the requests that were counted.'),
  keyId: z.optional(z.string()).describe('Only of `key_due`: the key.'),
  dueAt: z.optional(timestamp).describe('Only of `key_due`: when the key expires.'),
  sourceAddress: z
    .optional(z.string())
    .describe('Only of `new_address`: the address, of IPv6 the network of 64 bits.'),
};

/** An alert with its rule, as notices and events show it. */
export const alertData = {
  alertRuleId: z.string().describe('The rule.'),
  name: z.string().describe('The name of the rule when it fired.'),
  condition: shownCondition,
  ...alertMembers,
  resolvedAt: z.optional(timestamp).describe('When it ended; absent while it lasts.'),
  endReason: z
    .optional(z.enum(alertEndReasons))
    .describe('Why it ended; only then. `client_gone`: the client was disabled or revoked.'),
};

const alert = z.strictObject(alertMembers).describe('Something that a rule found, and that lasts.');

const rule = z
  .strictObject({
    alertRuleId: z.string().describe('The ID of the rule.'),
    accountId,
    name: z.string().describe('The name that people see.'),
    condition: shownCondition,
    client: z
      .nullable(
        z.strictObject({
          clientId: z.string().describe('The client ID.'),
          name: z.string().describe('Its name now.'),
          isActive: z.boolean().describe('Whether it is active. If not, the rule finds nothing.'),
        }),
      )
      .describe('The only client that it watches; null for the whole account.'),
    isEnabled,
    channels: z.strictObject(channelMembers).describe(channelsText),
    firing: z.array(alert).describe(`Its alerts that last, newest first: at most ${alertLimits.firingMax}.`),
    lastFiredAt: z.nullable(timestamp).describe('When it last fired; null if it did not in 90 days.'),
    current: value,
    createdAt,
    updatedAt,
  })
  .describe('A rule that tells people when something in the account needs attention.');

const members = { name: nameInput, condition, clientId: clientIdInput, isEnabled, channels };
const example = {
  name: 'Payouts fail',
  condition: { kind: 'failure_rate', percentAbove: 20, requestsMin: 50, minutes: 15 },
  clientId: 'client_01k9xq2v6h4mz7c1r8t0w5n3bd',
  channels: { inInbox: true, byMail: true, byWebhook: false },
};

export const alertRuleSchemas = {
  AlertRule: rule,
  AlertRulePage: page(rule, 'A page of alert rules.', 'The rules, oldest first.'),
  AlertRuleRequest: body(
    {
      ...members,
      clientId: z.optional(members.clientId),
      isEnabled: z.optional(isEnabled).describe('Whether it is looked at. Default true.'),
      channels: z.optional(channels).describe(`${channelsText} Default: inbox and email.`),
    },
    'A rule to add.',
    example,
  ),
  AlertRuleChange: body(
    {
      name: z.optional(members.name),
      condition: z.optional(condition),
      clientId: z.optional(members.clientId),
      isEnabled: z.optional(isEnabled),
      channels: z.optional(channels),
    },
    'What to change. Another condition or client ends the alerts that last.',
    { isEnabled: false },
  ),
  AlertPreviewRequest: body(
    { condition, clientId: z.optional(members.clientId) },
    'A condition to look at, without a rule.',
    { condition: example.condition, clientId: null },
  ),
  AlertValue: value,
};

export const alertRuleQueries = {
  AlertRuleQuery: {
    ...pageParameters,
    accountId: text('accountId', 256, "Operator only: the rules of this account, not the operator's own"),
  },
};

export type AlertCondition = Shape<typeof shownCondition>;
export type AlertRule = Shape<typeof rule>;
export type AlertRulePage = Shape<typeof alertRuleSchemas.AlertRulePage>;
export type AlertRuleRequest = Shape<typeof alertRuleSchemas.AlertRuleRequest>;
export type AlertRuleChange = Shape<typeof alertRuleSchemas.AlertRuleChange>;
export type AlertValue = Shape<typeof value>;
export type Alert = Shape<typeof alert>;
