import type { Webhook } from '@countersign/contract';
import { readDuration } from '../arguments/durations.ts';
import type { OptionTable } from '../arguments/options.ts';
import { type Command, defineCommand } from '../command.ts';
import { usageError } from '../exits.ts';
import { openManagementApi } from '../sending/call-api.ts';
import {
  apiOptions,
  eventTypesOf,
  finishWithWebhook,
  idempotencyLine,
  webhookIdArgument,
  webhookPath,
} from '../sending/webhook-api.ts';
import { headerOptions, readHeaders } from '../sending/webhook-headers.ts';
import { credentialNote } from '../signing/credentials.ts';

const contentOptions = {
  events: {
    type: 'string',
    multiple: true,
    placeholder: 'TYPES',
    help: 'Types of events, separated by commas, or "all". See: countersign webhooks types.',
  },
  description: { type: 'string', placeholder: 'TEXT', help: 'What it is for.' },
  ...headerOptions,
} as const satisfies OptionTable;

const addOptions = {
  ...contentOptions,
  'max-per-minute': {
    type: 'string',
    placeholder: 'N',
    help: 'At most so many attempts per minute, 1 to 6000. What is beyond waits. Default: no limit.',
  },
  ordered: { type: 'boolean', help: "Send a client's events one after the other." },
  'all-accounts': { type: 'boolean', help: 'Send the events of all accounts. For the operator only.' },
  paused: { type: 'boolean', help: 'Add it paused.' },
  'idempotency-key': {
    type: 'string',
    placeholder: 'KEY',
    help: 'Makes a retry safe. Default: a new key for each run.',
  },
  ...apiOptions,
} as const satisfies OptionTable;

export const webhooksAdd: Command = defineCommand({
  name: 'webhooks add',
  summary: 'Adds a webhook: a URL that events are sent to. Prints its secret, once.',
  arguments: [{ name: 'URL', help: 'https, a public host, no port.' }],
  options: addOptions,
  notes: [
    'Without --events, all types are sent, also later ones. The client that signs needs webhooks:write and the permission of each type.',
    credentialNote,
  ],
  examples: [
    {
      what: 'keys that should be rotated',
      line: 'countersign webhooks add https://hooks.example.com/countersign --events key.due,key.expired',
    },
    {
      what: 'behind a gateway that needs a key',
      line: "countersign webhooks add https://hooks.example.com/countersign --header-file 'X-Api-Key: gateway.key'",
    },
  ],
  async execute({ values, positionals: [url = ''] }, io) {
    const headers = await readHeaders(values, io);
    const body = {
      url,
      ...contentOf(values),
      ...(headers.size > 0 && { headers: Object.fromEntries(headers) }),
      ...(values.ordered && { isOrdered: true }),
      ...(values['all-accounts'] && { isForAllAccounts: true }),
      ...(values.paused && { isPaused: true }),
    };
    const api = await openManagementApi(values, io);
    const webhook = await api.change<Webhook>('POST', '/v1/webhooks', body, [
      idempotencyLine(values['idempotency-key']),
    ]);
    return finishWithWebhook(webhook, 'The webhook is added.', values.json, io);
  },
});

const updateOptions = {
  url: {
    type: 'string',
    placeholder: 'URL',
    help: 'Another URL. What waits is sent there, too. At another origin, custom headers are removed unless you give them again.',
  },
  ...contentOptions,
  'remove-header': {
    type: 'string',
    multiple: true,
    placeholder: 'NAME',
    help: 'A custom header to remove.',
  },
  'max-per-minute': {
    type: 'string',
    placeholder: 'N|none',
    help: 'At most so many attempts per minute, 1 to 6000, or none for no limit. What is beyond waits.',
  },
  ordered: { type: 'string', placeholder: 'yes|no', help: "Whether a client's events are sent in order." },
  ...apiOptions,
} as const satisfies OptionTable;

export const webhooksUpdate: Command = defineCommand({
  name: 'webhooks update',
  summary: 'Changes the URL, the types, the headers or other settings of a webhook.',
  arguments: [webhookIdArgument],
  options: updateOptions,
  notes: [credentialNote],
  examples: [
    { what: 'all types', line: 'countersign webhooks update webhook_… --events all' },
    {
      what: 'the receiver has moved',
      line: 'countersign webhooks update webhook_… --url https://hooks.example.com/new',
    },
  ],
  async execute({ values, positionals: [id = ''] }, io) {
    const { url, ordered } = values;
    if (ordered !== undefined && ordered !== 'yes' && ordered !== 'no')
      throw usageError('--ordered must be yes or no.');
    const removed = values['remove-header'].map((name) => [name.toLowerCase(), null] as const);
    const headers = [...removed, ...(await readHeaders(values, io))];
    const body = {
      ...(url !== undefined && { url }),
      ...contentOf(values),
      ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
      ...(ordered !== undefined && { isOrdered: ordered === 'yes' }),
    };
    if (Object.keys(body).length === 0)
      throw usageError('Nothing to change: pass an option such as --url, --events or --header.');
    const api = await openManagementApi(values, io);
    const webhook = await api.change<Webhook>('PATCH', webhookPath(id), body, ['If-Match: *']);
    return finishWithWebhook(webhook, 'The webhook is changed.', values.json, io);
  },
});

const rotateOptions = {
  overlap: {
    type: 'string',
    placeholder: 'TIME',
    help: 'How long the previous secret also signs, at most 7d. Default: 24h. With 0, it ends immediately.',
  },
  'idempotency-key': addOptions['idempotency-key'],
  ...apiOptions,
} as const satisfies OptionTable;

export const webhooksRotateSecret: Command = defineCommand({
  name: 'webhooks rotate-secret',
  summary: 'Gives a webhook a new secret, and prints it, once.',
  arguments: [webhookIdArgument],
  options: rotateOptions,
  notes: [
    'Until the previous secret ends, webhook-signature has a value of each. Another rotation in between ends the secret from before the first one.',
    credentialNote,
  ],
  examples: [
    { what: 'with a day to update the receiver', line: 'countersign webhooks rotate-secret webhook_…' },
    { what: 'the secret has leaked', line: 'countersign webhooks rotate-secret webhook_… --overlap 0' },
  ],
  async execute({ values, positionals: [id = ''] }, io) {
    const overlapSeconds = readDuration(values.overlap ?? '24h', '--overlap');
    if (overlapSeconds > overlapSecondsMax) throw usageError('--overlap must be at most 7d.');
    const api = await openManagementApi(values, io);
    const path = webhookPath(id, '/rotate-secret');
    const key = idempotencyLine(values['idempotency-key']);
    const webhook = await api.change<Webhook>('POST', path, { overlapSeconds }, [key]);
    return finishWithWebhook(webhook, 'The webhook has a new secret.', values.json, io);
  },
});

/** The same as `webhookLimits.overlapSecondsMax` of the service. */
const overlapSecondsMax = 604_800;

function contentOf({
  events,
  description,
  'max-per-minute': perMinute,
}: {
  readonly events: readonly string[];
  readonly description: string | undefined;
  readonly 'max-per-minute': string | undefined;
}): {
  readonly eventTypes?: readonly string[] | null;
  readonly description?: string;
  readonly attemptsPerMinuteMax?: number | null;
} {
  const types = eventTypesOf(events);
  return {
    ...(types.length > 0 && { eventTypes: types.includes('all') ? null : types }),
    ...(description !== undefined && { description }),
    ...(perMinute !== undefined && { attemptsPerMinuteMax: rateOf(perMinute) }),
  };
}

function rateOf(text: string): number | null {
  if (text === 'none') return null;
  const rate = /^[1-9][0-9]{0,3}$/.test(text) ? Number(text) : Infinity;
  if (rate <= attemptsPerMinuteMax) return rate;
  throw usageError(`--max-per-minute must be a whole number from 1 to ${attemptsPerMinuteMax}, or none.`);
}

/** The same as `webhookLimits.attemptsPerMinuteMax` of the service. */
const attemptsPerMinuteMax = 6000;
