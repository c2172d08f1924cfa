import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { pino } from 'pino';
import { checkChain } from './check-chain.ts';
import type { ReceivedLine } from './receiver.ts';
import { type StreamScene, streamScene } from './scene.ts';

const [backend] = backends;

interface Export {
  readonly resourceLogs: readonly [
    {
      readonly resource: object;
      readonly scopeLogs: readonly [{ readonly logRecords: readonly LogRecord[] }];
    },
  ];
}
interface LogRecord {
  readonly timeUnixNano: string;
  readonly severityNumber: number;
  readonly eventName: string;
  readonly body: { readonly stringValue: string };
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

describe('a stream by OTLP', { skip: backend!.skip }, () => {
  let on: StreamScene;
  const log: string[] = [];
  before(async () => {
    on = await streamScene(backend!, {
      logger: pino({}, { write: (line: string) => void log.push(line) }),
      streams: ({ origin }) => ({
        otel: { what: 'audit', to: `otlp+${origin}/v1/logs`, from: 'oldest' },
      }),
    });
  });
  after(() => on.close());

  test('each record is a log record, with the line as its body', async () => {
    await on.addClient();
    await on.send();
    const [batch] = on.receiver.batches;
    assert.deepEqual([batch?.path, batch?.headers['content-type']], ['/v1/logs', 'application/json']);
    const [{ resource, scopeLogs }] = (JSON.parse(batch!.body) as Export).resourceLogs;
    assert.deepEqual(resource, {
      attributes: [{ key: 'service.name', value: { stringValue: 'countersign' } }],
    });
    const records = scopeLogs[0].logRecords;
    const lines = records.map(({ body }) => JSON.parse(body.stringValue) as ReceivedLine);
    assert.equal(checkChain(lines), lines.length);
    const [first] = records;
    const [line] = lines;
    assert.equal(first?.timeUnixNano, `${Date.parse(String(line?.record?.['happenedAt']))}000000`);
    assert.deepEqual([first?.severityNumber, first?.eventName], [9, 'countersign.audit']);
    assert.deepEqual(first?.attributes.slice(3), [
      { key: 'countersign.position', value: { intValue: '1' } },
      { key: 'countersign.hash', value: { stringValue: line?.hash } },
    ]);
  });

  test('a receiver that is overloaded gets the same records again', async () => {
    await on.addClient();
    on.receiver.answer = (response) => void response.writeHead(503, { 'Retry-After': '2' }).end();
    await on.send();
    const failed = on.receiver.batches.at(-1)!;
    on.receiver.answer = (response) => void response.writeHead(200).end('{}');
    await on.send(3000);
    const again = on.receiver.batches.at(-1)!;
    assert.notEqual(again, failed);
    assert.equal(again.headers['webhook-id'], failed.headers['webhook-id']);
  });

  test('records that the receiver will never take are reported, and not sent again', async () => {
    await on.addClient();
    const answer = JSON.stringify({ partialSuccess: { rejectedLogRecords: '1', errorMessage: 'no' } });
    on.receiver.answer = (response) => void response.writeHead(200).end(answer);
    await on.send();
    const { length } = on.receiver.batches;
    await on.send(120_000);
    assert.equal(on.receiver.batches.length, length);
    assert.match(log.join(''), /"stream":"otel","source":"audit","records":1,/);
  });
});
