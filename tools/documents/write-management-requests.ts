// Rewrites docs/management-requests.md: `npm run docs:management`.
import { writeFileSync } from 'node:fs';
import { managementRequestsDocument } from './management-requests.ts';

writeFileSync(new URL('../../docs/management-requests.md', import.meta.url), managementRequestsDocument());
