// Rewrites docs/message-profiles.md: `npm run docs:profiles`.
import { writeFileSync } from 'node:fs';
import { messageProfilesDocument } from './message-profiles.ts';

writeFileSync(new URL('../../docs/message-profiles.md', import.meta.url), messageProfilesDocument());
