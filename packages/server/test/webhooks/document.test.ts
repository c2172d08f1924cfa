import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { webhookEventTypes } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { closeServer, listenOn } from '@countersign/testing/listen-on';
import { type WebhookScene, webhookScene } from './scene.ts';

const document = readFileSync(new URL('../../../../docs/webhooks.md', import.meta.url), 'utf8');

interface Example {
  readonly server: Server;
}

test('the document lists every type of events with its permission', () => {
  const rows = Object.entries(webhookEventTypes).map(
    ([name, { summary, permission }]) => `| \`${name}\` | ${summary} | \`${permission}\` |`,
  );
  const listed = document.split('\n').filter((line) => /\| `[a-z]+:[a-z]+` \|$/.test(line));
  assert.deepEqual(listed, rows);
});

describe('the program in the document', { skip: backends[0]?.skip }, () => {
  let on: WebhookScene;
  before(async () => {
    on = await webhookScene(backends[0]!);
  });
  after(() => on.close());

  test('takes what the service sends, once, and nothing that was changed', async (t) => {
    const { secret } = await on.add();
    await on.addClient();
    await on.deliver();
    const [event] = on.receiver.received;
    assert.ok(event);
    const done = t.mock.method(console, 'log', () => undefined).mock;
    const rejected = t.mock.method(console, 'error', () => undefined).mock;
    const { server } = await loadExample(secret);
    t.after(() => closeServer(server));
    const url = await listenOn(server);
    const statusFor = async (body: string): Promise<number> => {
      const { 'content-length': _, host: __, connection: ___, ...headers } = event.headers;
      return (await fetch(url, { method: 'POST', headers, body })).status;
    };
    const changed = event.body.replace('client.added', 'client.moved');
    assert.deepEqual(
      [await statusFor(changed), await statusFor(event.body), await statusFor(event.body)],
      [400, 204, 204],
    );
    assert.deepEqual(
      done.calls.map(({ arguments: [type] }) => type as string),
      ['client.added'],
    );
    assert.deepEqual(
      rejected.calls.map(({ arguments: [code] }) => code as string),
      ['signature_invalid'],
    );
  });
});

async function loadExample(secret: string): Promise<Example> {
  const [, program = ''] = /```js\n([^]*?)```/.exec(document) ?? [];
  const library = new URL('../../../upstream/src/index.ts', import.meta.url).href;
  const text = program
    .replace('@countersign/upstream', library)
    .replace('process.env.WEBHOOK_SECRET', JSON.stringify(secret));
  return (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as Example;
}
