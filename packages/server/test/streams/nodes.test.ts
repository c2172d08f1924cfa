import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { postgres } from '@countersign/testing/postgres-backend';
import { ServiceProcess } from '@countersign/testing/service-process';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { waitUntil } from '@countersign/testing/wait-until';
import { checkChain } from './check-chain.ts';
import { keep, type ReceivedBatch } from './receiver.ts';
import { type StreamScene, streamScene } from './scene.ts';

describe('a stream of several nodes', { skip: postgres.skip }, () => {
  let on: StreamScene;
  const settings: Record<string, string> = {};
  before(async () => {
    on = await streamScene(
      {
        ...postgres,
        settings: async (context) => Object.assign(settings, await postgres.settings(context)),
      },
      {
        streams: (receiver) => {
          const streams = {
            siem: { what: 'audit', to: `${receiver.origin}/audit`, from: 'oldest' },
          };
          settings['COUNTERSIGN_STREAMS'] = JSON.stringify(streams);
          return streams;
        },
      },
    );
  });
  after(() => on.close());

  test('a node that is killed while it sends is replaced a minute later, and the copy is complete', async (context) => {
    for (let count = 0; count < 5; count += 1) await on.addClient();
    const node = new ServiceProcess(temporaryFolder(context), settings);
    context.after(() => node.end());
    const kept = on.receiver.kept.length;
    let given: ReceivedBatch | undefined;
    // It reads the batch, and says nothing.
    on.receiver.answer = (_response, batch) => (given ??= batch);
    await waitUntil(
      () => given !== undefined,
      () => `the other node sends\n${node.output}`,
    );
    await node.end('SIGKILL');
    await on.addClient();
    on.receiver.answer = (response, batch) => keep(on.receiver, response, batch);
    await on.send(50_000);
    assert.equal(on.receiver.kept.length, kept, 'the lease of the killed node has not ended');
    await on.send(61_000);
    const database = await on.scene.database();
    const events = await database.selectFrom('audit_events').select('event_id').execute();
    assert.equal(checkChain(on.receiver.lines()), events.length);
    assert.ok(on.receiver.kept.join('\n').includes(given!.body.trim()));
  });
});
