/**
 * The service under load, in a process of its own: `node bench/server.ts checked|crypto|unchecked payments|nothing`.
 *
 * `unchecked` is the same service without the checks; `crypto` does the bare crypto instead. `nothing`
 * responds with 204 instead of the sandbox. Everything else is the service's default: limits, the log, the
 * request log of the clients' owners.
 *
 * The variable BENCH_PRIVATE_KEY has the key of its client `bench`.
 */
import { createPublicKey } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveUntilStopped } from './child.ts';
import { replaceModules } from './replacements/replace-modules.ts';
import { baseUrl } from './signed-payment.ts';

const [mode, upstream] = process.argv.slice(2);
const expectReplaced = replaceModules({
  ...(mode !== 'checked' && {
    'packages/gate/src/decision/decide.ts': `bench/replacements/${mode}-decision.ts`,
  }),
  ...(upstream === 'nothing' && { 'packages/server/src/api/api.ts': 'bench/replacements/empty-api.ts' }),
});
const { createLogger, loadConfiguration, startService } = await import('@countersign/server');
const { openLocalRegistry } = await import('@countersign/server/local-registry');

const dataFolder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
const privateKey = process.env['BENCH_PRIVATE_KEY']!;
const local = await openLocalRegistry({ dataFolder, createIfMissing: true });
await local.addClient({
  name: 'Bench',
  clientId: 'bench',
  publicKey: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }),
  network: [{ entry: '127.0.0.1' }],
  roles: ['payments-operator'],
});
await local.close();

const configuration = loadConfiguration({
  COUNTERSIGN_PORT: '0',
  COUNTERSIGN_DATA_FOLDER: dataFolder,
  COUNTERSIGN_PUBLIC_BASE_URLS: baseUrl,
  // One client makes all requests; its limit is checked, but never reached.
  COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '10000000',
  COUNTERSIGN_CLIENT_REQUESTS_BURST_MAX: '10000000',
});
const service = await startService(configuration, createLogger('info', join(dataFolder, 'log.jsonl')));
expectReplaced();
await serveUntilStopped(Number(new URL(service.address).port));
await service.stop();
rmSync(dataFolder, { recursive: true, force: true });
process.exit(0);
