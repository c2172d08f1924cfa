import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import type { ReceivedLine } from './receiver.ts';
import { type StreamScene, streamScene } from './scene.ts';

const document = readFileSync(new URL('../../../../docs/operations/streams.md', import.meta.url), 'utf8');

interface Example {
  readonly follows: (line: ReceivedLine, previous: ReceivedLine | undefined) => boolean;
}

const [backend] = backends;

describe('the program in docs/operations/streams.md', { skip: backend!.skip }, () => {
  let on: StreamScene;
  before(async () => {
    on = await streamScene(backend!);
  });
  after(() => on.close());

  test('accepts what the service sends, and finds a removed and a changed record', async () => {
    const [, program = ''] = /```js\n([^]*?)```/.exec(document) ?? [];
    const { follows } = (await import(`data:text/javascript,${encodeURIComponent(program)}`)) as Example;
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
});
