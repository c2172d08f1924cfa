// Checks who may import whom: the rules of the map in ARCHITECTURE.md.
import { fileURLToPath } from 'node:url';
import { checkBoundaries } from './boundaries/check.ts';

const { fileCount, violations } = checkBoundaries(fileURLToPath(new URL('..', import.meta.url)));
for (const violation of violations) console.log(violation);
console.log(`${fileCount} files, ${violations.length} violations of the import boundaries`);
if (violations.length > 0) process.exitCode = 1;
