// Rewrites the table of types in docs/webhooks.md: `npm run docs:webhooks`.
import { readFileSync, writeFileSync } from 'node:fs';
import { withWebhookTypes } from './webhook-types.ts';

const file = new URL('../../docs/webhooks.md', import.meta.url);
writeFileSync(file, withWebhookTypes(readFileSync(file, 'utf8')));
