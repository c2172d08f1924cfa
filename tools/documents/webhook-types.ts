import { webhookEventCatalogue } from '@countersign/contract';

const head = '| Type | Meaning | Permission |\n|---|---|---|\n';

/** Returns docs/webhooks.md with its table of types made from the catalogue. */
export function withWebhookTypes(document: string): string {
  const start = document.indexOf(head);
  if (start < 0) throw new Error('docs/webhooks.md has no table of types.');
  const end = document.indexOf('\n\n', start);
  const rows = webhookEventCatalogue().map(
    ({ type, title, permission }) => `| \`${type}\` | ${title} | \`${permission}\` |`,
  );
  return document.slice(0, start) + head + rows.join('\n') + document.slice(end);
}
