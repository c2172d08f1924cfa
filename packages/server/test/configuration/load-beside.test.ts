import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { loadConfigurationBeside } from '../../src/configuration/load-beside.ts';
import { loadConfiguration } from '../../src/configuration/load-at-once.ts';
import { ConfigurationError } from '../../src/configuration/load.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-beside-'));
after(() => rmSync(folder, { recursive: true }));

const file = join(folder, 'openapi.yaml');
const environment = { COUNTERSIGN_UPSTREAM: 'http://127.0.0.1:3000', COUNTERSIGN_OPENAPI: file };

test('the event loop goes on while a document is read', async () => {
  const paths = Array.from(
    { length: 200 },
    (_, index) => `  /p${index}/{id}:\n    get: { tags: [Things], responses: { 200: { description: ok } } }`,
  );
  writeFileSync(file, `openapi: 3.1.0\npaths:\n${paths.join('\n')}\n`);
  const state = { isLoaded: false };
  const loading = loadConfigurationBeside(environment).finally(() => (state.isLoaded = true));
  // Reading in this thread would leave a turn or two.
  let turns = 0;
  for (; turns < 20 && !state.isLoaded; turns++) await nextTurn();
  assert.equal(turns, 20);
  assert.deepEqual((await loading).routing, loadConfiguration(environment).routing);
});

test('a document is no longer read once nobody waits for it', async () => {
  writeFileSync(file, 'openapi: 3.1.0\npaths:\n  /a: { get: {} }\n');
  const waiting = new AbortController();
  const { signal } = waiting;
  const loading = loadConfigurationBeside(environment, {}, signal);
  waiting.abort();
  await assert.rejects(loading, (error) => error === signal.reason);
  await assert.rejects(loadConfigurationBeside(environment, {}, signal), (error) => error === signal.reason);
});

test('mistakes are the same, with the same places', async () => {
  writeFileSync(file, 'openapi: 3.1.0\npaths:\n  /a: { gett: {} }\n  b: { get: {} }\n');
  const expected = new RegExp(`${file}:3:9: .*\n.*${file}:4:3: `);
  assert.throws(() => loadConfiguration(environment), expected);
  await assert.rejects(
    loadConfigurationBeside(environment),
    (error) => error instanceof ConfigurationError && expected.test(error.message),
  );
  await assert.rejects(
    loadConfigurationBeside({ ...environment, COUNTERSIGN_OPENAPI: folder }),
    /cannot be read \(EISDIR\)/,
  );
});
