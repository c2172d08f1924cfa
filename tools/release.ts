// `npm run release -- 1.2.3`: version, changelog, tarballs, commit and tag. `--dry-run` shows that it would work.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checks } from './checks/checks.ts';
import { runChecks } from './checks/run-checks.ts';
import { release, ReleaseRefused } from './release/release.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
try {
  const { values, positionals } = parseArgs({
    options: { 'dry-run': { type: 'boolean' } },
    allowPositionals: true,
  });
  const [version, ...others] = positionals;
  if (version === undefined || others.length > 0)
    throw new ReleaseRefused('Name one version: npm run release -- 1.2.3 [--dry-run]');
  await release({
    root,
    version,
    date: new Date().toISOString().slice(0, 10),
    isDryRun: values['dry-run'] === true,
    check: () => runChecks(checks, root, console.log),
    show: console.log,
  });
} catch (error) {
  console.error(`Not released: ${(error as Error).message}`);
  process.exitCode = 1;
}
