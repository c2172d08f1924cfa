import { randomUUID } from 'node:crypto';
import type { Page, Webhook } from '@countersign/contract';
import { credentialOptions } from '../signing/credentials.ts';
import { requestOptions } from '../signing/outgoing-request.ts';
import type { Io } from '../terminal/io.ts';
import { fieldLines } from '../terminal/layout.ts';
import { writeJson } from '../terminal/report.ts';
import { baseUrlOption, type ManagementApi } from './call-api.ts';

/** Options of every command that calls the management API. */
export const apiOptions = {
  'base-url': baseUrlOption,
  ...credentialOptions,
  nonce: requestOptions.nonce,
} as const;

export const webhookIdArgument = {
  name: 'WEBHOOK_ID',
  help: 'The ID of the webhook, as "countersign webhooks list" shows it.',
};

export function webhookPath(webhookId: string, rest: string = ''): string {
  return `/v1/webhooks/${encodeURIComponent(webhookId)}${rest}`;
}

/** Returns the types of events that an option names, several of them separated by commas. */
export function eventTypesOf(given: readonly string[]): readonly string[] {
  return given.flatMap((text) => text.split(',')).map((type) => type.trim());
}

/** Returns the header that makes a retry safe. */
export function idempotencyLine(key: string = randomUUID()): string {
  return `Idempotency-Key: ${key}`;
}

/** Reads all pages of a list. */
export async function readList<Item>(
  api: ManagementApi,
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let cursor: string | undefined; ;) {
    const page: Page<Item> = await api.readPage<Item>(path, { ...query, cursor });
    items.push(...page.data);
    if (page.nextCursor === null) return items;
    cursor = page.nextCursor;
  }
}

/** Shows a webhook after a sentence, or as JSON. */
export function finishWithWebhook(
  webhook: Webhook,
  sentence: string | undefined,
  json: boolean,
  io: Io,
): 'ok' {
  if (json) {
    writeJson(io, { ok: true, ...webhook });
    return 'ok';
  }
  if (sentence !== undefined) io.output.write(`${sentence}\n`);
  io.output.write(
    fieldLines([
      ['webhookId', webhook.webhookId],
      ['url', webhook.url],
      ['description', webhook.description === '' ? undefined : webhook.description],
      ['types', webhook.eventTypes === null ? 'all' : webhook.eventTypes.join(', ')],
      ['ordered', webhook.isOrdered ? 'yes' : undefined],
      ['accounts', webhook.isForAllAccounts ? 'all' : undefined],
      ['custom headers', webhook.headerNames.length > 0 ? webhook.headerNames.join(', ') : undefined],
      ['attempts per minute', webhook.attemptsPerMinuteMax?.toString()],
      ['status', webhook.status],
      ['reason', webhook.disabledReason],
      ['failing since', webhook.failingSince],
      ['secret', webhook.secret],
      ['previous secret until', webhook.previousSecretEndsAt],
    ]),
  );
  if (webhook.secret !== undefined) io.errors.write('Store the secret: it is not shown again.\n');
  return 'ok';
}
