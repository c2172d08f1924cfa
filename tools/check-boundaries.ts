// Checks the imports between packages and folders, by the rules of the map in ARCHITECTURE.md, and counts rooms and arrows.
import { fileURLToPath } from 'node:url';
import { checkBoundaries } from './boundaries/check.ts';
import { checkRooms } from './boundaries/check-rooms.ts';

const { fileCount, violations, graph } = checkBoundaries(fileURLToPath(new URL('..', import.meta.url)));
const { findings, totals } = checkRooms(graph);
for (const text of [...violations, ...findings]) console.log(text);
const counts = `${fileCount} files, ${violations.length} violations of the import boundaries`;
console.log([counts, ...totals].join('; '));
if (violations.length > 0 || findings.length > 0) process.exitCode = 1;
