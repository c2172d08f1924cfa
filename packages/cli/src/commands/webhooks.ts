import type { Webhook, WebhookEventTypeEntry } from '@countersign/contract';
import { type Command, defineCommand } from '../command.ts';
import { usageError } from '../exits.ts';
import { openManagementApi } from '../sending/call-api.ts';
import {
  apiOptions,
  finishWithWebhook,
  readList,
  webhookIdArgument,
  webhookPath,
} from '../sending/webhook-api.ts';
import { credentialNote } from '../signing/credentials.ts';
import { tableLines } from '../terminal/layout.ts';
import { writeJson } from '../terminal/report.ts';
import { visibleLines } from '../terminal/visible.ts';

export const webhooksList: Command = defineCommand({
  name: 'webhooks list',
  summary: "Lists the account's webhooks and their state.",
  arguments: [],
  options: {
    account: {
      type: 'string',
      placeholder: 'ID',
      help: 'The account whose webhooks to list, for the operator. Default: the one that the credentials belong to.',
    },
    ...apiOptions,
  },
  notes: [credentialNote],
  examples: [{ what: 'all webhooks', line: 'countersign webhooks list --credentials admin.json' }],
  async execute({ values }, io) {
    const api = await openManagementApi(values, io);
    const webhooks = await readList<Webhook>(api, '/v1/webhooks', { accountId: values.account });
    if (values.json) writeJson(io, { ok: true, data: webhooks });
    else if (webhooks.length === 0)
      io.errors.write('There are no webhooks yet: countersign webhooks add --help\n');
    else
      io.output.write(
        tableLines(['WEBHOOK ID', 'STATUS', 'FAILING SINCE', 'TYPES', 'URL'], webhooks.map(row)),
      );
    return 'ok';
  },
});

function row({ webhookId, status, failingSince = '-', eventTypes, url }: Webhook): string[] {
  return [webhookId, status, failingSince, eventTypes === null ? 'all' : String(eventTypes.length), url];
}

export const webhooksShow: Command = defineCommand({
  name: 'webhooks show',
  summary: 'Shows a webhook.',
  arguments: [webhookIdArgument],
  options: apiOptions,
  notes: [credentialNote],
  examples: [{ what: 'one webhook', line: 'countersign webhooks show webhook_…' }],
  async execute({ values, positionals: [id = ''] }, io) {
    const api = await openManagementApi(values, io);
    const webhook = await api.read<Webhook>(webhookPath(id), {});
    return finishWithWebhook(webhook, undefined, values.json, io);
  },
});

export const webhooksPause: Command = defineCommand({
  name: 'webhooks pause',
  summary: 'Pauses a webhook: its events wait.',
  arguments: [webhookIdArgument],
  options: apiOptions,
  notes: [credentialNote],
  examples: [{ what: 'while the receiver is replaced', line: 'countersign webhooks pause webhook_…' }],
  async execute({ values, positionals: [id = ''] }, io) {
    const api = await openManagementApi(values, io);
    const webhook = await api.change<Webhook>('POST', webhookPath(id, '/pause'), undefined);
    const sentence =
      webhook.status === 'paused' ? 'The webhook is paused.' : 'The webhook is disabled already.';
    return finishWithWebhook(webhook, sentence, values.json, io);
  },
});

export const webhooksResume: Command = defineCommand({
  name: 'webhooks resume',
  summary: 'Resumes a paused or disabled webhook.',
  arguments: [webhookIdArgument],
  options: apiOptions,
  notes: [
    'What happened while it was disabled is not sent by itself: countersign webhooks recover.',
    credentialNote,
  ],
  examples: [{ what: 'send again', line: 'countersign webhooks resume webhook_…' }],
  async execute({ values, positionals: [id = ''] }, io) {
    const api = await openManagementApi(values, io);
    const webhook = await api.change<Webhook>('POST', webhookPath(id, '/resume'), undefined);
    return finishWithWebhook(webhook, 'The webhook is active.', values.json, io);
  },
});

export const webhooksDelete: Command = defineCommand({
  name: 'webhooks delete',
  summary: 'Removes a webhook, with what waits to be sent to it.',
  arguments: [webhookIdArgument],
  options: {
    yes: { type: 'boolean', help: 'Really remove it: its deliveries are lost.' },
    ...apiOptions,
  },
  notes: [credentialNote],
  examples: [{ what: 'one that is not used any more', line: 'countersign webhooks delete webhook_… --yes' }],
  async execute({ values, positionals: [id = ''] }, io) {
    if (!values.yes)
      throw usageError('This removes the webhook with all its deliveries. Add --yes if you mean it.');
    const api = await openManagementApi(values, io);
    const webhook = await api.change<Webhook>('DELETE', webhookPath(id), undefined, ['If-Match: *']);
    return finishWithWebhook(webhook, 'The webhook is removed.', values.json, io);
  },
});

export const webhooksTypes: Command = defineCommand({
  name: 'webhooks types',
  summary: 'Lists the types of events, or shows one with its schema and an example.',
  arguments: [{ name: 'TYPE', help: 'A type of events, such as key.due.', optional: true }],
  options: apiOptions,
  notes: [credentialNote],
  examples: [
    { what: 'all types', line: 'countersign webhooks types' },
    { what: 'what such an event has in it', line: 'countersign webhooks types key.due' },
  ],
  async execute({ values, positionals: [name] }, io) {
    const api = await openManagementApi(values, io);
    const types = await readList<WebhookEventTypeEntry>(api, '/v1/webhook-event-types');
    if (name === undefined) {
      if (values.json) writeJson(io, { ok: true, data: types });
      else {
        const rows = types.map(({ type, permission, title }) => [type, permission, title]);
        io.output.write(tableLines(['TYPE', 'PERMISSION', 'MEANING'], rows));
      }
      return 'ok';
    }
    const found = types.find(({ type }) => type === name);
    if (found === undefined)
      throw usageError(`There is no type of events "${name}". See them all: countersign webhooks types`);
    if (values.json) writeJson(io, { ok: true, ...found });
    else {
      const { title, description, example, schema } = found;
      const shown = (value: unknown): string => visibleLines(JSON.stringify(value, undefined, 2));
      io.output.write(`${title}. ${description}\n\nExample\n${shown(example)}\n\nSchema\n${shown(schema)}\n`);
    }
    return 'ok';
  },
});
