import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { freePort } from '@countersign/testing/free-port';
import { openProtectedApi } from '@countersign/testing/protected-api';
import { keyPair } from '@countersign/testing/running-service';
import { readerFolder } from './reader-folder.ts';
import { type BlockRun, runBlock, testBlocks } from './run-block.ts';

const path = 'docs/signed-responses.md';

describe(path, () => {
  const { folder, remove } = readerFolder();
  const closers: (() => unknown)[] = [remove];
  after(async () => {
    for (const close of closers.toReversed()) await close();
  });

  it('has an example that rejects an unsigned response and accepts a signed one', async () => {
    const [example, ...others] = testBlocks(path);
    assert.deepEqual(others, []);
    const [port, apiPort] = [await freePort(), await freePort()];
    const { clientId } = await openProtectedApi(
      { after: (close: () => unknown) => void closers.push(close) },
      {
        environment: {
          COUNTERSIGN_PORT: String(port),
          COUNTERSIGN_API_PORT: String(apiPort),
          COUNTERSIGN_PUBLIC_BASE_URLS: `http://127.0.0.1:${port}`,
          COUNTERSIGN_API_BASE_URLS: `http://127.0.0.1:${apiPort}`,
          COUNTERSIGN_ROUTES: JSON.stringify([
            { path: '/invoices', permission: 'invoices', signResponses: true },
            { path: '/unsigned', permission: 'invoices' },
          ]),
        },
        client: { roles: ['api-user'] },
      },
    );
    writeFileSync(join(folder, 'private.pem'), keyPair.privateKey, { mode: 0o600 });
    const runFor = (target: string): Promise<BlockRun> => {
      const text = example!.text
        .replaceAll('127.0.0.1:8421', `127.0.0.1:${port}`)
        .replaceAll('127.0.0.1:8422', `127.0.0.1:${apiPort}`)
        .replace('client_…', clientId)
        .replace('/invoices', target);
      return runBlock({ ...example!, text }, folder);
    };
    const rejected = await runFor('/unsigned');
    assert.equal(rejected.exitCode, 1);
    assert.match(rejected.errors, /Error: signature_missing: /);
    const accepted = await runFor('/invoices');
    assert.equal(accepted.exitCode, 0, accepted.errors);
    assert.equal(accepted.output, "200 the API's own /invoices\n");
  });
});
