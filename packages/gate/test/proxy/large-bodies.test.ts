import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openProtectedApi, type ProtectedApi } from '@countersign/testing/protected-api';
import { apiBaseUrl } from '@countersign/testing/running-service';
import { waitUntil } from '@countersign/testing/wait-until';

const mebibyte = 1_048_576;

/** An API that takes up to 8 MiB, of which 64 KiB stay in memory. */
function openLarge(t: TestContext, environment: Record<string, string> = {}): Promise<ProtectedApi> {
  const routes = [{ path: '/**', permission: 'shop', bodyBytesMax: 8 * mebibyte }];
  return openProtectedApi(t, {
    environment: {
      COUNTERSIGN_ROUTES: JSON.stringify(routes),
      COUNTERSIGN_BODY_MEMORY_BYTES_MAX: '65536',
      ...environment,
    },
  });
}

const large = 'a large body '.repeat(300_000);

test('a changed byte in a body on disk is refused, and nothing of it is sent', async (t) => {
  const api = await openLarge(t);
  const url = `${apiBaseUrl}/upload`;
  const { headers } = api.signer.sign({ method: 'POST', url, body: large });
  const body = `${large.slice(0, -1)}!`;
  const answer = await api.running.send({ method: 'POST', url, body, headers: { ...headers } });
  assert.equal(answer.json()['code'], 'digest_mismatch');
  assert.deepEqual(api.received, []);
});

test('a body above its limit is refused, announced or in chunks', async (t) => {
  const api = await openLarge(t);
  const url = `${apiBaseUrl}/upload`;
  const body = 'x'.repeat(8 * mebibyte + 1);
  const { headers } = api.signer.sign({ method: 'POST', url, body });
  const announced = await api.running.send({ method: 'POST', url, body, headers: { ...headers } });
  assert.equal(announced.json()['code'], 'body_too_large');
  const chunked = [
    'Host',
    new URL(apiBaseUrl).host,
    'Transfer-Encoding',
    'chunked',
    ...Object.entries(headers).flat(),
  ];
  const inChunks = await api.running.send({ method: 'POST', url, body, headers: chunked });
  assert.equal(inChunks.json()['code'], 'body_too_large');
  assert.deepEqual(api.received, []);
});

test('a full spool refuses with 503, and has room again afterwards', async (t) => {
  const api = await openLarge(t, { COUNTERSIGN_SPOOL_BYTES_MAX: String(2 * mebibyte) });
  const refused = await api.call('POST', '/upload', { body: large });
  assert.deepEqual([refused.status, refused.json()['code']], [503, 'storage_unavailable']);
  for (let round = 0; round < 3; round++)
    assert.equal(
      (await api.call('POST', `/${round}`, { body: 'x'.repeat(mebibyte + mebibyte / 2) })).status,
      200,
    );
});

test('a large body arrives byte for byte with its exact length, in chunks or not', async (t) => {
  const api = await openLarge(t);
  const url = `${apiBaseUrl}/upload`;
  assert.equal((await api.call('POST', '/upload', { body: large })).status, 200);
  const { headers } = api.signer.sign({ method: 'PUT', url, body: large });
  const chunked = [
    'Host',
    new URL(apiBaseUrl).host,
    'Transfer-Encoding',
    'chunked',
    ...Object.entries(headers).flat(),
  ];
  assert.equal((await api.running.send({ method: 'PUT', url, body: large, headers: chunked })).status, 200);
  assert.deepEqual(
    api.received.map((one) => [
      one.body === large,
      one.values('content-length'),
      one.values('transfer-encoding'),
    ]),
    [
      [true, [String(large.length)], []],
      [true, [String(large.length)], []],
    ],
  );
});

test('nothing is left in the folder, and every file is closed', async (t) => {
  const api = await openLarge(t);
  await Promise.all(['/a', '/b', '/c'].map((path) => api.call('POST', path, { body: large })));
  assert.deepEqual(readdirSync(join(api.running.dataFolder, 'spool')), []);
  const openFiles = (): number => {
    const links = readdirSync('/proc/self/fd', { withFileTypes: true });
    return links.length;
  };
  const before = openFiles();
  for (let round = 0; round < 5; round++) await api.call('POST', `/again/${round}`, { body: large });
  await waitUntil(
    () => openFiles() <= before + 2,
    () => `${openFiles()} open files, ${before} before`,
  );
});
