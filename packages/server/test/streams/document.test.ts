import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import type { ReceivedLine } from './receiver.ts';
import { type StreamScene, streamScene } from './scene.ts';

const document = readFileSync(new URL('../../../../docs/operations/streams.md', import.meta.url), 'utf8');

interface Example {
  readonly follows: (line: ReceivedLine, previous: ReceivedLine | undefined) => boolean;
  readonly verifyBatch: (
    request: {
      readonly url: string;
      readonly headers: readonly (readonly [string, string])[];
      readonly body: Buffer;
    },
    directoryUrl: string,
  ) => Promise<{ readonly ok: boolean }>;
}

const [backend] = backends;

describe('the programs in docs/operations/streams.md', { skip: backend!.skip }, () => {
  let on: StreamScene;
  before(async () => {
    on = await streamScene(backend!);
  });
  after(() => on.close());

  test('accepts what the service sends, and finds a removed and a changed record', async () => {
    const { follows } = await loadExample('follows');
    for (let count = 0; count < 3; count += 1) await on.addClient();
    await on.send();
    const lines = on.receiver.lines();
    const isWhole = (copy: readonly ReceivedLine[]): boolean =>
      copy.every((line, index) => follows(line, copy[index - 1]));
    assert.ok(lines.length > 3 && isWhole(lines));
    assert.ok(!isWhole(lines.toSpliced(2, 1)), 'a removed record');
    const changed = { ...lines[2]!, record: { ...lines[2]!.record, action: 'client.revoked' } };
    assert.ok(!isWhole(lines.toSpliced(2, 1, changed)), 'a changed record');
  });

  test('verifies a batch, and none that was changed', async () => {
    const { verifyBatch } = await loadExample('verifyBatch');
    await on.addClient();
    await on.send();
    const { path, headers, body } = on.receiver.batches.at(-1)!;
    const wellKnown = '/.well-known/http-message-signatures-directory';
    const directory = await on.scene.running.send({ method: 'GET', url: wellKnown });
    const directoryUrl = `data:application/json,${encodeURIComponent(directory.text)}`;
    const sent = { url: `${on.receiver.origin}${path}`, headers: Object.entries(headers) };
    assert.equal((await verifyBatch({ ...sent, body: Buffer.from(body) }, directoryUrl)).ok, true);
    const changed = Buffer.from(body.replace('client.added', 'client.moved'));
    assert.equal((await verifyBatch({ ...sent, body: changed }, directoryUrl)).ok, false);
  });
});

/** Returns what the program of the page with this function exports. */
async function loadExample(name: keyof Example): Promise<Example> {
  const programs = Array.from(document.matchAll(/```js\n([^]*?)```/g), ([, program = '']) => program);
  const program = programs.find((each) => each.includes(`function ${name}(`)) ?? '';
  const library = '@countersign/signature/messages/node';
  const text = program.replace(library, import.meta.resolve(library));
  return (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as Example;
}
