import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { waitUntil } from '@countersign/testing/wait-until';
import { checkChain } from '../../packages/server/test/streams/check-chain.ts';
import type { ReceivedLine } from '../../packages/server/test/streams/receiver.ts';
import { streamScene } from '../../packages/server/test/streams/scene.ts';
import { missingFor, runProgram } from './program-peers.ts';

/** What the message types of OpenTelemetry (opentelemetry-proto, PyPI) read in the body of an export. */
interface Parsed {
  readonly problem?: string;
  readonly resources?: readonly object[];
  readonly records?: readonly ParsedRecord[];
}
interface ParsedRecord {
  readonly timeUnixNano: string;
  readonly observedTimeUnixNano: string;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly eventName: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

describe(
  'a stream by OTLP, read by the message types of OpenTelemetry',
  { skip: missingFor('python') },
  () => {
    it('has every record with its time, severity, line and attributes, in both formats', async () => {
      const [backend] = backends;
      const on = await streamScene(backend!, {
        streams: ({ origin }) => {
          const both = { what: ['audit', 'requests'], to: `otlp+${origin}/v1/logs`, from: 'oldest' };
          return { plain: { ...both, to: `${both.to}/plain` }, ecs: { ...both, format: 'ecs' } };
        },
      });
      try {
        await on.addClient();
        await on.scene.refused(
          on.scene.administrator,
          'getClient',
          { path: { clientId: 'nobody' } },
          'not_found',
        );
        await waitUntil(async () => {
          await on.send(1000);
          return ['/v1/logs', '/v1/logs/plain'].every((path) =>
            on.receiver.batches.some((batch) => batch.path === path && batch.body.includes('not_found')),
          );
        }, 'the requests');
        const { batches } = on.receiver;
        const answers = await runProgram<Parsed>('otlp', [...batches, { body: spoiled(batches[0]!.body) }]);
        assert.match(answers.at(-1)?.problem ?? '', /severityNumber|severity_number/);
        for (const path of ['/v1/logs', '/v1/logs/plain']) {
          const parsed = answers.filter((_, index) => batches[index]?.path === path);
          assert.deepEqual(
            parsed.map(({ problem }) => problem),
            parsed.map(() => undefined),
          );
          assert.deepEqual(parsed[0]?.resources, [{ 'service.name': 'countersign' }]);
          checkRecords(
            parsed.flatMap(({ records = [] }) => records),
            path === '/v1/logs',
          );
        }
      } finally {
        await on.close();
      }
    });
  },
);

/** Returns a body with a severity that is no number, which the parser has to notice. */
function spoiled(body: string): string {
  return body.replace('"severityNumber":9', '"severityNumber":"loud"');
}

function checkRecords(records: readonly ParsedRecord[], isEcs: boolean): void {
  const lines = records.map(({ body }) => JSON.parse(body) as ReceivedLine);
  const audit = lines.filter(({ source }) => source === 'audit');
  assert.equal(checkChain(audit), audit.length);
  assert.ok(audit.length > 1 && audit.length < lines.length);
  for (const [index, { source, id, position, hash, record = {} }] of lines.entries()) {
    const { attributes, ...log } = records[index]!;
    const isRejected = source === 'requests' && record['outcome'] !== 'accepted';
    const at = Date.parse(String(record[source === 'audit' ? 'happenedAt' : 'receivedAt']));
    assert.deepEqual(
      [log.timeUnixNano, log.severityNumber, log.severityText, log.eventName],
      [`${at}000000`, isRejected ? 13 : 9, isRejected ? 'WARN' : 'INFO', `countersign.${source}`],
    );
    const name = record[source === 'audit' ? 'action' : 'outcome'];
    const own = { 'countersign.source': source, 'countersign.id': id, 'countersign.name': name };
    const chain = { 'countersign.position': position, 'countersign.hash': hash };
    const expected = { ...own, ...(source === 'audit' && chain) };
    const { 'event.id': eventId, 'event.category': category, ...others } = attributes;
    if (isEcs) assert.deepEqual([eventId, category], [id, [source === 'audit' ? 'configuration' : 'web']]);
    else assert.deepEqual(others, expected);
    for (const [key, value] of Object.entries(expected)) assert.equal(attributes[key], value);
  }
}
