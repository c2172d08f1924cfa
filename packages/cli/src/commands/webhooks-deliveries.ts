import type { WebhookDelivery, WebhookDeliveryDetails } from '@countersign/contract';
import { readDuration } from '../arguments/durations.ts';
import { type Command, defineCommand } from '../command.ts';
import { usageError } from '../exits.ts';
import { openManagementApi } from '../sending/call-api.ts';
import { apiOptions, idempotencyLine, webhookIdArgument, webhookPath } from '../sending/webhook-api.ts';
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
        tableLines(['DELIVERY ID', 'STATE', 'ATTEMPTS', 'TYPE', 'NEXT ATTEMPT'], data.map(row)),
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
  summary: "Sends a webhook's failed deliveries since a time again.",
  arguments: [webhookIdArgument],
  options: {
    since: {
      type: 'string',
      placeholder: 'TIME',
      help: 'From when: a time such as 2026-11-21T12:00:00Z, or how long ago, such as 24h or 3d.',
    },
    ...apiOptions,
  },
  notes: [credentialNote],
  examples: [
    { what: 'after a day without a receiver', line: 'countersign webhooks recover webhook_… --since 24h' },
  ],
  async execute({ values, positionals: [id = ''] }, io) {
    if (values.since === undefined) throw usageError('The time is missing: pass --since TIME.');
    const since = values.since.includes('T')
      ? values.since
      : new Date(io.nowMs() - readDuration(values.since, '--since') * 1000).toISOString();
    const api = await openManagementApi(values, io);
    let recovered = 0;
    for (let isComplete = false; !isComplete;) {
      const part: { recovered: number; isComplete: boolean } = await api.change(
        'POST',
        webhookPath(id, '/recover'),
        { since },
      );
      recovered += part.recovered;
      ({ isComplete } = part);
    }
    if (values.json) writeJson(io, { ok: true, recovered, since });
    else
      io.output.write(`${recovered} ${recovered === 1 ? 'delivery is' : 'deliveries are'} queued again.\n`);
    return 'ok';
  },
});

function deliveryPath(webhookId: string, deliveryId: string): string {
  return webhookPath(webhookId, `/deliveries/${encodeURIComponent(deliveryId)}`);
}

function row({ deliveryId, state, attemptCount, eventType, nextAttemptAt }: WebhookDelivery): string[] {
  return [deliveryId, state, String(attemptCount), eventType, nextAttemptAt ?? '-'];
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
