import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { webhookEventTypes } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { type WebhookScene, webhookScene } from './scene.ts';

const document = readFileSync(new URL('../../../../docs/webhooks.md', import.meta.url), 'utf8');

interface Example {
  readonly verifyWebhook: (
    request: { readonly url: string; readonly headers: readonly [string, string][]; readonly body: Buffer },
    directoryUrl: string,
  ) => Promise<{ readonly ok: boolean }>;
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

  test('verifies what the service sends, and nothing that was changed', async () => {
    const { verifyWebhook } = await loadExample();
    const { url } = await on.add();
    await on.addClient();
    await on.deliver();
    const [event] = on.receiver.received;
    assert.ok(event);
    const headers = Array.from({ length: event.rawHeaders.length / 2 }, (_, index): [string, string] => [
      event.rawHeaders[2 * index]!,
      event.rawHeaders[2 * index + 1]!,
    ]);
    const wellKnown = '/.well-known/http-message-signatures-directory';
    const directory = await on.scene.running.send({ method: 'GET', url: wellKnown });
    const directoryUrl = `data:application/json,${encodeURIComponent(directory.text)}`;
    const body = Buffer.from(event.body);
    assert.equal((await verifyWebhook({ url, headers, body }, directoryUrl)).ok, true);
    const changed = Buffer.from(event.body.replace('client.added', 'client.moved'));
    assert.equal((await verifyWebhook({ url, headers, body: changed }, directoryUrl)).ok, false);
  });
});

async function loadExample(): Promise<Example> {
  const [, program = ''] = /```js\n([^]*?)```/.exec(document) ?? [];
  const library = import.meta.resolve('@countersign/signature/messages/node');
  const text = program.replace('@countersign/signature/messages/node', library);
  return (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as Example;
}
