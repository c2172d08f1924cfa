import type { Backend } from './backend.ts';
import { postgres } from './postgres-backend.ts';
import { sqlite } from './sqlite-backend.ts';

/** `npm test` runs the files that import this twice: on SQLite among the tests that start no program, then on PostgreSQL. */
const backendsOfTier: Readonly<Record<string, readonly Backend[]>> = { pure: [sqlite], programs: [postgres] };

/** The databases that suites must pass on: both, or the one of the tier that runs. */
export const backends: readonly Backend[] = backendsOfTier[process.env['TEST_TIER'] ?? ''] ?? [
  sqlite,
  postgres,
];
