import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { type Ending, ServiceProcess, signalAtMoment } from '@countersign/testing/service-process';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { waitForResult, waitUntil } from '@countersign/testing/wait-until';

/* Signals that come while the service starts: at moments that are counted, so that each comes in every run. */

/** Starts a service that is sent these signals at a moment, and waits until it has ended. */
async function startAndEnd(
  t: TestContext,
  moment: string,
  signals: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Ending & { readonly output: string }> {
  const service = new ServiceProcess(join(temporaryFolder(t), 'data'), {
    NODE_OPTIONS: `--import=${signalAtMoment}`,
    SIGNAL_AT: moment,
    SIGNALS: signals,
    ...settings,
  });
  t.after(() => service.end());
  let ending: Ending | undefined;
  void service.ended.then((ended) => (ending = ended));
  await waitUntil(
    () => ending !== undefined,
    () => `It does not end:\n${service.output}`,
  );
  return { ...ending!, output: service.output };
}

const moments: Readonly<Record<string, string>> = {
  'when its first module is loaded': 'load program',
  'when another module is loaded': 'load service',
  'when the data folder is made': 'fs.mkdirSync',
  'when the database is opened': 'database.exec',
  'when it begins to listen': 'listen',
  'the moment it listens': 'listening',
  'when it starts a thread': 'thread',
  'when it says that it listens': 'print Countersign listens',
};

describe('a signal at a moment of the start', () => {
  for (const [name, moment] of Object.entries(moments))
    test(`SIGTERM ${name}: it stops cleanly`, async (t) => {
      const { code, signal, output } = await startAndEnd(t, moment, 'SIGTERM');
      assert.deepEqual([code, signal], [0, null], output);
      assert.match(output, /SIGTERM: stopping .* stopped\.\n/);
      assert.doesNotMatch(output, /cannot|Error|^ +at /im);
    });

  for (const moment of ['database.exec', 'listening', 'print Countersign listens']) {
    test(`SIGINT at ${moment}: it stops cleanly too`, async (t) => {
      const { code, signal, output } = await startAndEnd(t, moment, 'SIGINT');
      assert.deepEqual([code, signal], [0, null], output);
      assert.match(output, /SIGINT: stopping .* stopped\.\n/);
    });
    test(`two signals at ${moment}: the second ends it at once`, async (t) => {
      const { code, signal, output } = await startAndEnd(t, moment, 'SIGTERM,SIGINT');
      assert.deepEqual([code, signal], [1, null], output);
      assert.match(output, /SIG(?:TERM|INT): stopping/);
    });
    test(`SIGHUP at ${moment}: does not end it, unlike the SIGTERM that follows`, async (t) => {
      const { code, signal, output } = await startAndEnd(t, moment, 'SIGHUP,SIGTERM');
      assert.deepEqual([code, signal], [0, null], output);
      assert.match(output, /SIGTERM: stopping .* stopped\.\n/);
    });
  }

  test('a node that has a delay hands over once it has listened, and a second signal ends the wait', async (t) => {
    const delay = { COUNTERSIGN_STOP_DELAY_SECONDS: '600' };
    const { code, output } = await startAndEnd(t, 'print Countersign listens', 'SIGTERM,SIGINT', delay);
    assert.equal(code, 0, output);
    assert.match(output, /handing over for 600 s .* stopping .* stopped\.\n$/);
  });

  test('a node that has not listened yet has nothing to hand over', async (t) => {
    const delay = { COUNTERSIGN_STOP_DELAY_SECONDS: '600' };
    const { code, output } = await startAndEnd(t, 'database.exec', 'SIGTERM', delay);
    assert.equal(code, 0, output);
    assert.doesNotMatch(output, /handing over|listens/);
  });

  test('a changed document that is being read then is not used', async (t) => {
    const document = join(temporaryFolder(t), 'openapi.yaml');
    const write = (paths: number): void =>
      writeFileSync(
        document,
        `openapi: 3.1.0\npaths:\n${Array.from({ length: paths }, (_, index) => `  /p${index}/{id}:\n    get: { tags: [Things], responses: { 200: { description: ok } } }\n`).join('')}`,
      );
    write(1);
    const service = new ServiceProcess(join(temporaryFolder(t), 'data'), {
      NODE_OPTIONS: `--import=${signalAtMoment}`,
      SIGNAL_AT: 'thread OpenAPI document',
      SIGNALS: 'SIGTERM',
      COUNTERSIGN_API_BASE_URLS: 'https://shop.example.test',
      COUNTERSIGN_UPSTREAM: 'http://127.0.0.1:9',
      COUNTERSIGN_API_PORT: '0',
      COUNTERSIGN_OPENAPI: document,
      COUNTERSIGN_LOG_LEVEL: 'info',
    });
    t.after(() => service.end());
    await service.listening();
    // Reading it takes longer than a stop.
    write(20_000);
    const { code, signal } = await waitForResult(service.ended, () => service.output);
    assert.deepEqual([code, signal], [0, null], service.output);
    assert.match(service.output, /SIGTERM: stopping .* stopped\.\n/);
    assert.doesNotMatch(service.output, /the configuration (?:was reloaded|has mistakes)/);
  });

  test('after the stop, whatever keeps the process: it ends at once', async (t) => {
    const keeps =
      "import('node:worker_threads').then((w) => w.isMainThread && setInterval(() => {}, 60_000))";
    for (const [moment, output] of [
      ['nothing', /SIGTERM: stopping .* stopped\.\n$/],
      ['database.exec', /SIGTERM: stopping the start .* stopped\.\n$/],
    ] as const) {
      const service = new ServiceProcess(join(temporaryFolder(t), 'data'), {
        NODE_OPTIONS: `--import=${signalAtMoment} --import=data:text/javascript,${encodeURIComponent(keeps)}`,
        SIGNAL_AT: moment,
      });
      t.after(() => service.end());
      if (moment === 'nothing') {
        await service.listening();
        process.kill(service.processId, 'SIGTERM');
      }
      await waitUntil(
        () => service.output.includes('stopped.'),
        () => service.output,
      );
      const { code, signal } = await waitForResult(service.end('SIGTERM'), () => service.output);
      assert.deepEqual([code, signal], [0, null], service.output);
      assert.match(service.output, output);
    }
  });

  test('a demonstration that is interrupted says nothing of failures', async (t) => {
    const settings = { COUNTERSIGN_DEMONSTRATION: 'yes' };
    for (const moment of ['print Countersign listens', 'print What it does']) {
      const { code, signal, output } = await startAndEnd(t, moment, 'SIGTERM', settings);
      assert.deepEqual([code, signal], [0, null], output);
      assert.doesNotMatch(output, /cannot|Error/i);
    }
  });
});
