import type { WebhookDelivery, WebhookDeliveryDetails, WebhookRecovered } from '@countersign/contract';
import { readDuration } from '../arguments/durations.ts';
import { type Command, defineCommand } from '../command.ts';
import { usageError } from '../exits.ts';
import { openManagementApi } from '../sending/call-api.ts';
import {
  apiOptions,
  eventTypesOf,
  idempotencyLine,
  webhookIdArgument,
  webhookPath,
} from '../sending/webhook-api.ts';
import { credentialNote } from '../signing/credentials.ts';
import type { Io } from '../terminal/io.ts';
import { fieldLines, tableLines } from '../terminal/layout.ts';
import { writeJson } from '../terminal/report.ts';

const deliveryIdArgument = {
  name: 'DELIVERY_ID',
  help: 'The ID of the delivery, as "countersign webhooks deliveries" shows it.',
};

export const webhooksTest: Command = defineCommand({
  name: 'webhooks test',
  summary: 'Sends a test event to a webhook.',
  arguments: [webhookIdArgument],
  options: apiOptions,
  notes: ['The result: countersign webhooks deliveries WEBHOOK_ID DELIVERY_ID.', credentialNote],
  examples: [{ what: 'does it arrive?', line: 'countersign webhooks test webhook_…' }],
  async execute({ values, positionals: [id = ''] }, io) {
    const api = await openManagementApi(values, io);
    const path = webhookPath(id, '/test');
    const delivery = await api.change<WebhookDelivery>('POST', path, undefined, [idempotencyLine()]);
    return finishWithDelivery(delivery, 'A test event is queued.', values.json, io);
  },
});

export const webhooksDeliveries: Command = defineCommand({
  name: 'webhooks deliveries',
  summary: "Lists a webhook's deliveries, newest first, or shows one with its attempts.",
  arguments: [webhookIdArgument, { ...deliveryIdArgument, optional: true }],
  options: {
    state: { type: 'string', placeholder: 'STATE', help: 'Only waiting, delivered or failed ones.' },
    limit: { type: 'string', placeholder: 'NUMBER', help: 'How many to list: 1 to 100. Default 25.' },
    ...apiOptions,
  },
  notes: [credentialNote],
  examples: [
    { what: 'what failed for good', line: 'countersign webhooks deliveries webhook_… --state failed' },
    { what: 'why it failed', line: 'countersign webhooks deliveries webhook_… delivery_…' },
  ],
  async execute({ values, positionals: [id = '', deliveryId] }, io) {
    const api = await openManagementApi(values, io);
    if (deliveryId !== undefined) {
      const path = deliveryPath(id, deliveryId);
      return finishWithDetails(await api.read<WebhookDeliveryDetails>(path, {}), values.json, io);
    }
    const query = { state: values.state, limit: values.limit };
    const { data, nextCursor } = await api.readPage<WebhookDelivery>(webhookPath(id, '/deliveries'), query);
    if (values.json) writeJson(io, { ok: true, data, nextCursor });
    else if (data.length === 0) io.errors.write('There are no such deliveries.\n');
    else
      io.output.write(
        tableLines(
          ['DELIVERY ID', 'STATE', 'ATTEMPTS', 'TYPE', 'NEXT ATTEMPT'],
          data.map((delivery) => row(delivery, io.nowMs())),
        ),
      );
    return 'ok';
  },
});

export const webhooksResend: Command = defineCommand({
  name: 'webhooks resend',
  summary: 'Sends a delivery again, whatever its state.',
  arguments: [webhookIdArgument, deliveryIdArgument],
  options: apiOptions,
  notes: [credentialNote],
  examples: [{ what: 'one event once more', line: 'countersign webhooks resend webhook_… delivery_…' }],
  async execute({ values, positionals: [id = '', deliveryId = ''] }, io) {
    const api = await openManagementApi(values, io);
    const path = `${deliveryPath(id, deliveryId)}/resend`;
    const delivery = await api.change<WebhookDelivery>('POST', path, undefined);
    return finishWithDelivery(delivery, 'The event is queued again.', values.json, io);
  },
});

export const webhooksRecover: Command = defineCommand({
  name: 'webhooks recover',
  summary: "Sends a webhook's failed deliveries of a time again, or all of them.",
  arguments: [webhookIdArgument],
  options: {
    since: {
      type: 'string',
      placeholder: 'TIME',
      help: 'From when: a time such as 2026-11-21T12:00:00Z, or how long ago, such as 24h or 3d.',
    },
    until: {
      type: 'string',
      placeholder: 'TIME',
      help: 'Only events before this time, written like --since. Default: no end.',
    },
    include: {
      type: 'string',
      placeholder: 'WHICH',
      help: 'failed, or all to send delivered events again too, with the same IDs. Default failed.',
    },
    events: {
      type: 'string',
      multiple: true,
      placeholder: 'TYPES',
      help: 'Only these types of events, separated by commas. Default: all.',
    },
    ...apiOptions,
  },
  notes: [credentialNote],
  examples: [
    { what: 'after a day without a receiver', line: 'countersign webhooks recover webhook_… --since 24h' },
    {
      what: 'all events of an hour, because the receiver lost them',
      line: 'countersign webhooks recover webhook_… --since 2026-11-21T12:00:00Z --until 2026-11-21T13:00:00Z --include all',
    },
  ],
  async execute({ values, positionals: [id = ''] }, io) {
    if (values.since === undefined) throw usageError('The time is missing: pass --since TIME.');
    const { include } = values;
    if (include !== undefined && include !== 'failed' && include !== 'all')
      throw usageError('--include must be failed or all.');
    const since = timeOf(values.since, '--since', io);
    const types = eventTypesOf(values.events);
    const wanted = {
      since,
      ...(values.until !== undefined && { until: timeOf(values.until, '--until', io) }),
      ...(include !== undefined && { include }),
      ...(types.length > 0 && !types.includes('all') && { eventTypes: types }),
    };
    const api = await openManagementApi(values, io);
    let recovered = 0;
    for (let after: string | undefined, isComplete = false; !isComplete;) {
      const part: WebhookRecovered = await api.change('POST', webhookPath(id, '/recover'), {
        ...wanted,
        ...(after !== undefined && { after }),
      });
      recovered += part.recovered;
      // An older service has no such member: it sends failed deliveries only, which no longer are.
      after = part.next ?? undefined;
      ({ isComplete } = part);
    }
    if (values.json) writeJson(io, { ok: true, recovered, ...wanted });
    else
      io.output.write(`${recovered} ${recovered === 1 ? 'delivery is' : 'deliveries are'} queued again.\n`);
    return 'ok';
  },
});

/** Returns a time that is written as such, or as how long ago it is. */
function timeOf(text: string, option: string, io: Io): string {
  if (text.includes('T')) return text;
  return new Date(io.nowMs() - readDuration(text, option) * 1000).toISOString();
}

function deliveryPath(webhookId: string, deliveryId: string): string {
  return webhookPath(webhookId, `/deliveries/${encodeURIComponent(deliveryId)}`);
}

function row(
  { deliveryId, state, attemptCount, eventType, nextAttemptAt }: WebhookDelivery,
  nowMs: number,
): string[] {
  // While a receiver fails, one event is tried for all, and what is due waits for it.
  const isDue = nextAttemptAt !== null && Date.parse(nextAttemptAt) <= nowMs;
  return [deliveryId, state, String(attemptCount), eventType, isDue ? 'due' : (nextAttemptAt ?? '-')];
}

function finishWithDelivery(delivery: WebhookDelivery, sentence: string, json: boolean, io: Io): 'ok' {
  if (json) writeJson(io, { ok: true, ...delivery });
  else io.output.write(`${sentence}\n${deliveryText(delivery)}`);
  return 'ok';
}

function finishWithDetails(details: WebhookDeliveryDetails, json: boolean, io: Io): 'ok' {
  if (json) {
    writeJson(io, { ok: true, ...details });
    return 'ok';
  }
  io.output.write(deliveryText(details));
  const rows = details.attempts.map(({ attemptedAt, durationMs, status, problem }) => [
    attemptedAt,
    `${durationMs} ms`,
    status === undefined ? '-' : String(status),
    problem ?? 'delivered',
  ]);
  if (rows.length > 0) io.output.write(`\n${tableLines(['ATTEMPT', 'TOOK', 'STATUS', 'RESULT'], rows)}`);
  return 'ok';
}

function deliveryText({
  deliveryId,
  eventId,
  eventType,
  state,
  attemptCount,
  nextAttemptAt,
}: WebhookDelivery): string {
  return fieldLines([
    ['deliveryId', deliveryId],
    ['eventId', eventId],
    ['type', eventType],
    ['state', state],
    ['attempts', String(attemptCount)],
    ['next attempt', nextAttemptAt ?? undefined],
  ]);
}
