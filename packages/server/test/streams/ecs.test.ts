import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { waitUntil } from '@countersign/testing/wait-until';
import { checkChain } from './check-chain.ts';
import type { ReceivedBatch, ReceivedLine } from './receiver.ts';
import { type StreamScene, streamScene } from './scene.ts';

const [backend] = backends;
const document = readFileSync(new URL('../../../../docs/operations/streams.md', import.meta.url), 'utf8');
const table = document
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  // Three columns, the first of which names a field.
  .filter((cells) => cells.length === 5 && /^`(?:@timestamp|[a-z_]+(?:\.[a-z_]+)+)`$/.test(cells[1] ?? ''))
  .map(([, name = '', audit = '', requests = '']) => ({ name: name.slice(1, -1), audit, requests }));

describe('a stream in the Elastic Common Schema', { skip: backend!.skip }, () => {
  let on: StreamScene;
  before(async () => {
    const what = ['audit', 'requests'];
    on = await streamScene(backend!, {
      streams: ({ origin }) => ({
        siem: { what, to: `${origin}/ecs`, from: 'oldest', format: 'ecs' },
        otel: { what, to: `otlp+${origin}/v1/logs`, from: 'oldest', format: 'ecs' },
        plain: { what: 'audit', to: `${origin}/plain`, from: 'oldest' },
      }),
    });
    // Someone does something, a client is accepted and another request is rejected.
    await on.scene.addPerson({ role: 'owner' });
    await on.addClient();
    await on.scene.refused(
      on.scene.administrator,
      'getClient',
      { path: { clientId: 'nobody' } },
      'not_found',
    );
    await waitUntil(async () => {
      await on.send(1000);
      return documents().some(({ code }) => code === 'not_found');
    }, 'the requests');
  });
  after(() => on.close());

  const batchesAt = (path: string): readonly ReceivedBatch[] =>
    on.receiver.batches.filter((batch) => batch.path === path);
  const documents = (): readonly Received[] =>
    batchesAt('/ecs').flatMap(({ body }) => body.trimEnd().split('\n').map(receive));

  test('has the fields of the documented table, and no others', () => {
    assert.ok(table.length > 20);
    const received = documents();
    for (const source of ['audit', 'requests'] as const) {
      const ofSource = received.filter(({ line }) => line.source === source);
      assert.ok(ofSource.length > 1, source);
      for (const { fields, text, line } of ofSource) {
        const expected = table
          .map(({ name, [source]: cell }) => [name, valueOf(cell, text, line)] as const)
          .filter(([, value]) => value !== undefined && value !== '');
        assert.deepEqual(fields, Object.fromEntries(expected));
      }
    }
    const accepted = received.find(({ code }) => code === 'accepted');
    assert.equal(accepted?.fields['event.outcome'], 'success');
  });

  test('has the line that other streams have, so that the chain holds', () => {
    const plain = batchesAt('/plain').flatMap(({ body }) => body.trimEnd().split('\n'));
    const audit = documents().filter(({ line }) => line.source === 'audit');
    assert.deepEqual(
      audit.map(({ text }) => text),
      plain,
    );
    assert.equal(checkChain(audit.map(({ line }) => line)), audit.length);
  });

  test('says the same by OTLP, in attributes', () => {
    const records = batchesAt('/v1/logs').flatMap(({ body }) => logRecordsOf(body));
    const byId = new Map(documents().map((one) => [one.line.id, one]));
    assert.equal(records.length, byId.size);
    for (const { body, attributes } of records) {
      const line = JSON.parse(body.stringValue) as ReceivedLine;
      const { '@timestamp': _, 'event.original': original, ...others } = byId.get(line.id)?.fields ?? {};
      assert.equal(body.stringValue, original);
      const own = attributes.filter(({ key }) => !key.startsWith('countersign.'));
      assert.deepEqual(Object.fromEntries(own.map(({ key, value }) => [key, plainValue(value)])), others);
    }
  });
});

interface Received {
  /** By their whole names. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly line: ReceivedLine;
  readonly code: unknown;
}

function receive(json: string): Received {
  const fields = Object.fromEntries(flat(JSON.parse(json) as object, ''));
  const text = String(fields['event.original']);
  return { fields, text, line: JSON.parse(text) as ReceivedLine, code: fields['event.code'] };
}

function flat(value: object, prefix: string): [string, unknown][] {
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? flat(member, `${prefix}${name}.`)
      : [[`${prefix}${name}`, member]],
  );
}

/** Returns what a cell of the table says for a line. */
function valueOf(cell: string, text: string, line: ReceivedLine): unknown {
  if (cell === '') return undefined;
  if (cell === 'the line') return text;
  const terms = Array.from(cell.matchAll(/`([^`]+)`/g), ([, term = '']) => termOf(term, line));
  const [first, second, third, fourth] = terms;
  switch (cell.replaceAll(/`[^`]+`/g, '_')) {
    case '_':
      return first;
    case '_ × 1,000,000':
      return typeof first === 'number' ? Math.round(first * 1_000_000) : undefined;
    case '_ if _ is _, else _':
      return second === third ? first : fourth;
    default:
      throw new Error(`Nothing here reads: ${cell}`);
  }
}

function termOf(term: string, line: ReceivedLine): unknown {
  if (/^["[]/.test(term)) return JSON.parse(term);
  let value: unknown = line;
  for (const name of term.split('.')) value = (value as Record<string, unknown> | undefined)?.[name];
  return value;
}

interface LogRecord {
  readonly body: { readonly stringValue: string };
  readonly attributes: readonly { readonly key: string; readonly value: AttributeValue }[];
}
interface AttributeValue {
  readonly stringValue?: string;
  readonly intValue?: string;
  readonly arrayValue?: { readonly values: readonly AttributeValue[] };
}

function logRecordsOf(body: string): readonly LogRecord[] {
  const { resourceLogs } = JSON.parse(body) as {
    resourceLogs: readonly { scopeLogs: readonly { logRecords: readonly LogRecord[] }[] }[];
  };
  return resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords));
}

function plainValue({ stringValue, intValue, arrayValue }: AttributeValue): unknown {
  if (intValue !== undefined) return Number(intValue);
  return arrayValue === undefined ? stringValue : arrayValue.values.map(plainValue);
}
