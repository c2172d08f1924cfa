import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { readCount, readOptions } from '../command-options.ts';
import { installPackages } from '../published/installed-packages.ts';
import { stopAtMoments } from './stops.ts';

const usage = `npm run test:stops                    sends SIGTERM at 200 moments of a start, from the first line of ours until it
                                      serves; each start must end with exit code 0 and a clean stop
npm run test:stops -- --moments 1000  at so many
npm run test:stops -- --lanes 4       so many services at a time
npm run test:stops -- --package       the package as users install it, instead of the sources`;

const values = readOptions(usage, {
  moments: { type: 'string', default: '200' },
  package: { type: 'boolean', default: false },
  lanes: { type: 'string', default: String(Math.min(2, availableParallelism())) },
});
const packages = values.package
  ? await installPackages([
      'packages/signature',
      'packages/client',
      'packages/explain',
      'packages/cli',
      'packages/server',
    ])
  : undefined;
try {
  const { moments, failures } = await stopAtMoments({
    moments: readCount(usage, 'moments', values.moments, 10_000),
    lanes: readCount(usage, 'lanes', values.lanes, 64),
    program: packages && join(packages.project, 'node_modules/countersign-server/bin/countersign-server.js'),
    onProgress: (text) => console.log(text),
  });
  for (const failure of failures) console.error(`FAILED ${failure}`);
  console.log(`${moments - failures.length} of ${moments} ended with exit code 0 and a clean stop`);
  process.exitCode = failures.length === 0 ? 0 : 1;
} finally {
  packages?.remove();
}
