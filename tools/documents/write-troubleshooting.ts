// Rewrites docs/troubleshooting.md: `npm run docs:troubleshooting`.
import { writeFileSync } from 'node:fs';
import { troubleshootingDocument } from './troubleshooting.ts';

writeFileSync(new URL('../../docs/troubleshooting.md', import.meta.url), troubleshootingDocument());
