// `npm run docs:troubleshooting` writes docs/troubleshooting.md.
import { writeFileSync } from 'node:fs';
import { troubleshootingDocument } from './troubleshooting.ts';

writeFileSync(new URL('../../docs/troubleshooting.md', import.meta.url), troubleshootingDocument());
