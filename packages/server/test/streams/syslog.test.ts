import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { waitUntil } from '@countersign/testing/wait-until';
import { checkChain } from './check-chain.ts';
import type { ReceivedLine } from './receiver.ts';
import { type StreamScene, streamScene } from './scene.ts';
import { openSyslogReceiver, type SyslogReceiver } from './syslog-receiver.ts';

const [backend] = backends;

describe('a stream by syslog', { skip: backend!.skip }, () => {
  let on: StreamScene;
  let receiver: SyslogReceiver;
  before(async () => {
    receiver = await openSyslogReceiver();
    on = await streamScene(backend!, {
      streams: () => ({
        plain: { what: 'audit', to: `syslog+tcp://${receiver.host}`, from: 'oldest' },
        numbered: {
          what: ['requests'],
          to: `syslog+tcp://${receiver.host}`,
          from: 'oldest',
          enterpriseNumber: 64_000,
        },
      }),
    });
  });
  after(async () => {
    await on.close();
    await receiver.close();
  });
  afterEach(() => {
    receiver.accept = () => true;
  });
  const audit = (): ReceivedLine[] =>
    receiver.messages
      .filter((message) => message.includes(' audit '))
      .map((message) => JSON.parse(message.slice(message.indexOf('] ') + 2)) as ReceivedLine);
  const isComplete = async (): Promise<void> => {
    const database = await on.scene.database();
    const rows = await database.selectFrom('audit_events').select('event_id').orderBy('version').execute();
    assert.equal(checkChain(audit()), rows.length);
    assert.deepEqual(
      [...new Set(audit().map(({ id }) => id))],
      rows.map((row) => row.event_id),
    );
  };

  test('each record is a message of RFC 5424 in ASCII, and the copy is complete', async () => {
    await on.scene.succeed(on.scene.administrator, 'addClient', {
      body: { name: 'Zoë 😀', networkWhitelist: [{ entry: '0.0.0.0' }] },
    });
    await on.send();
    await isComplete();
    const form =
      /^<109>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \S{1,255} countersign - audit \[origin software="countersign"\] \{[ -~]+\}$/;
    for (const message of receiver.messages.filter((one) => one.includes(' audit ')))
      assert.match(message, form);
    assert.ok(JSON.stringify(audit()).includes('Zoë 😀'));
  });

  test('with an enterprise number, structured data has the ID and the outcome', async () => {
    await waitUntil(async () => {
      await on.send();
      return receiver.messages.some((message) => message.includes(' requests '));
    }, 'a request is in the log, and sent');
    const message = receiver.messages.find((one) => one.includes(' requests '));
    assert.match(
      message ?? '',
      /^<134>1 \S+ \S+ countersign - requests \[origin software="countersign"\]\[countersign@64000 id="request_\w+" name="accepted"\] \{/,
    );
  });

  test('a receiver that dies with a part of a batch gets all of it again', async () => {
    for (let count = 0; count < 20; count += 1) await on.addClient();
    receiver.accept = (socket) => {
      socket.once('data', () => socket.resetAndDestroy());
      return false;
    };
    await on.send();
    const { length } = receiver.messages;
    receiver.accept = () => true;
    await on.send(2000);
    assert.ok(receiver.messages.length > length);
    await isComplete();
  });

  test('a receiver that closes before it reads gets it again', async () => {
    await on.addClient();
    receiver.accept = (socket) => {
      socket.destroy();
      return false;
    };
    await on.send();
    receiver.accept = () => true;
    await on.send(2000);
    await isComplete();
  });

  test('a receiver that reads nothing is given up in time, and gets it again', async () => {
    await on.addClient();
    const { connections } = receiver;
    receiver.accept = (socket) => {
      socket.pause();
      return false;
    };
    let isGivenUp = false;
    const sending = on.send().finally(() => (isGivenUp = true));
    await waitUntil(() => receiver.connections > connections, 'it is connected');
    // A batch that was begun after the last expiry has a time of its own.
    await waitUntil(() => {
      on.timers.expire();
      return isGivenUp;
    }, 'it is given up');
    await sending;
    receiver.accept = () => true;
    await on.send(2000);
    await isComplete();
  });
});
