import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { webhookScene } from '../../server/test/webhooks/scene.ts';
import {
  createWebhookCheck,
  type ReceivedWebhook,
  type WebhookCheckOptions,
  type WebhookResult,
} from '../src/index.ts';
import { makeOwnKey } from '../../server/src/forwarding/own-key.ts';
import { signWebhook } from '../../server/src/webhooks/sign-webhook.ts';
import { TestDirectory } from './gateway-node.ts';

const directoryUrl = 'https://auth.example.test/.well-known/http-message-signatures-directory';
const otherSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

interface Delivery {
  readonly method: 'POST';
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** Changes the value of a header; undefined removes it. */
function withHeader(
  delivery: Delivery,
  name: string,
  change: (value: string) => string | undefined,
): Delivery {
  const rawHeaders = Array.from({ length: delivery.rawHeaders.length / 2 }, (_, index) => {
    const [each, value] = [delivery.rawHeaders[2 * index]!, delivery.rawHeaders[2 * index + 1]!];
    const changed = each === name ? change(value) : value;
    return changed === undefined ? [] : [each, changed];
  });
  return { ...delivery, rawHeaders: rawHeaders.flat() };
}

function repeated(delivery: Delivery, name: string): Delivery {
  return { ...delivery, rawHeaders: [...delivery.rawHeaders, name, 'x'] };
}

function codeOf(result: WebhookResult): string {
  return result.ok ? 'accepted' : result.code;
}

describe('the check of webhooks', { skip: backends[0]!.skip }, () => {
  let delivery: Delivery;
  let url: string;
  let secret: string;
  let keys: object[];
  let sentAtMs: number;
  before(async () => {
    const on = await webhookScene(backends[0]!);
    try {
      const webhook = await on.add();
      await on.addClient();
      await on.deliver();
      const [event] = on.receiver.received;
      delivery = { method: 'POST', rawHeaders: event!.rawHeaders, body: Buffer.from(event!.body) };
      sentAtMs = Number(event!.headers['webhook-timestamp']) * 1000;
      ({ url, secret } = webhook);
      const path = '/.well-known/http-message-signatures-directory';
      const directory = await on.scene.running.send({ method: 'GET', url: path });
      ({ keys } = JSON.parse(directory.text) as { keys: object[] });
    } finally {
      await on.close();
    }
  });

  const ways: Readonly<Record<string, () => WebhookCheckOptions>> = {
    'by its secret': () => ({ secret }),
    'by published keys': () => ({ keys: { keys }, url }),
  };
  const ask = async (
    options: WebhookCheckOptions,
    request: ReceivedWebhook = delivery,
    atMs = sentAtMs,
  ): Promise<string> => codeOf(await createWebhookCheck({ nowMs: () => atMs, ...options })(request));

  for (const [way, optionsOf] of Object.entries(ways)) {
    test(`${way}: what the service sends is accepted, however the server hands it over`, async () => {
      const check = createWebhookCheck({ ...optionsOf(), nowMs: () => sentAtMs });
      const headers = Object.fromEntries(
        Array.from(
          { length: delivery.rawHeaders.length / 2 },
          (_, index) => delivery.rawHeaders.slice(2 * index, 2 * index + 2) as [string, string],
        ),
      );
      const body = delivery.body.toString();
      for (const request of [
        delivery,
        { headers, body },
        { headers: new Headers(headers), body: delivery.body },
      ]) {
        const result = await check(request);
        assert.ok(result.ok, JSON.stringify(result));
        assert.deepEqual([result.event, result.isRepeated], [JSON.parse(body), false]);
      }
    });

    test(`${way}: what was changed is rejected, and the code says why`, async () => {
      const changedBody = Buffer.from(delivery.body.toString().replace('client.added', 'client.moved'));
      const digest = way === 'by its secret' ? 'signature_invalid' : 'digest_mismatch';
      const rows: readonly (readonly [ReceivedWebhook, string])[] = [
        [{ ...delivery, body: changedBody }, digest],
        [{ ...delivery, body: Buffer.concat([delivery.body, Buffer.from(' ')]) }, digest],
        [{ ...delivery, body: undefined }, 'body_missing'],
        [{ ...delivery, body: JSON.parse(delivery.body.toString()) as unknown }, 'body_missing'],
        [{ ...delivery, method: 'PUT' }, 'request_malformed'],
        [{ ...delivery, rawHeaders: [] }, 'signature_missing'],
        [withHeader(delivery, 'webhook-id', (value) => `${value}0`), 'signature_invalid'],
        [withHeader(delivery, 'webhook-id', () => undefined), 'signature_missing'],
        [repeated(delivery, 'Webhook-Id'), 'header_ambiguous'],
      ];
      for (const [index, [request, code]] of rows.entries())
        assert.equal(await ask(optionsOf(), request), code, `row ${index}`);
    });

    test(`${way}: an old one and one of the future are rejected`, async () => {
      const seconds = (count: number): Promise<string> => ask(optionsOf(), delivery, sentAtMs + count * 1000);
      const codes = [await seconds(-301), await seconds(-300), await seconds(240), await seconds(301)];
      assert.deepEqual(codes, ['created_in_future', 'accepted', 'accepted', 'expired']);
      assert.equal(
        await ask({ ...optionsOf(), toleranceSeconds: 10 }, delivery, sentAtMs + 11_000),
        'expired',
      );
    });

    test(`${way}: an event that was processed is told from a new one`, async () => {
      const seen = new Set<string>();
      const check = createWebhookCheck({ ...optionsOf(), seen, nowMs: () => sentAtMs });
      const isRepeated = async (): Promise<boolean> => {
        const result = await check(delivery);
        assert.ok(result.ok);
        seen.add(result.event.id);
        return result.isRepeated;
      };
      assert.deepEqual([await isRepeated(), await isRepeated()], [false, true]);
      await assert.rejects(
        createWebhookCheck({
          ...optionsOf(),
          nowMs: () => sentAtMs,
          seen: { has: () => Promise.reject(new Error('no database')) },
        })(delivery),
        /no database/,
      );
    });
  }

  test('by its secret: one of several secrets and one of several signatures is enough', async () => {
    assert.equal(await ask({ secret: otherSecret }), 'signature_invalid');
    assert.equal(await ask({ secret: [otherSecret, secret] }), 'accepted');
    const more = (value: string): string => `v1,${'A'.repeat(43)}= v2,x ${value}`;
    assert.equal(await ask({ secret }, withHeader(delivery, 'webhook-signature', more)), 'accepted');
    for (const value of ['', 'v1', 'v2,x', 'v1,AAAA', `v1,${'-'.repeat(43)}=`]) {
      const request = withHeader(delivery, 'webhook-signature', () => value);
      assert.equal(
        await ask({ secret }, request),
        value === '' ? 'signature_missing' : 'signature_malformed',
      );
    }
    const time = withHeader(delivery, 'webhook-timestamp', () => '1e9');
    assert.equal(await ask({ secret }, time), 'signature_malformed');
  });

  test('by its secret: a signed body that is no event, or another one, is rejected', async () => {
    const id = 'event_1';
    for (const text of [
      '',
      'nothing',
      '[]',
      '{}',
      '{"id":"event_2","type":"a","createdAt":"","accountId":"","data":{}}',
    ]) {
      const head = `${id}.${sentAtMs / 1000}.`;
      const key = Buffer.from(secret.slice(6), 'base64');
      const signature = createHmac('sha256', key)
        .update(head + text)
        .digest('base64');
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(sentAtMs / 1000),
        'webhook-signature': `v1,${signature}`,
      };
      assert.equal(await ask({ secret }, { headers, body: text }), 'event_malformed', text);
    }
  });

  test('by published keys: another URL, signature or key is rejected', async () => {
    const ours = { keys: { keys }, url };
    assert.equal(await ask({ ...ours, url: `${url}x` }), 'signature_invalid');
    const rows: readonly (readonly [string, (value: string) => string, string])[] = [
      [
        'signature',
        (value) => value.replace(/:(.)/, (_, first) => (first === 'A' ? ':B' : ':A')),
        'signature_invalid',
      ],
      ['signature', () => 'countersign=:AAAA:', 'signature_malformed'],
      ['signature-input', (value) => value.replace(' "webhook-id"', ''), 'signature_malformed'],
      ['signature-input', (value) => value.replace('created=', 'created=1'), 'signature_invalid'],
      [
        'signature-input',
        (value) => value.replace('countersign-webhook', 'countersign-forwarded'),
        'signature_malformed',
      ],
      ['signature-input', (value) => value.replace(/keyid="./, 'keyid="_'), 'key_unknown'],
      ['content-type', () => 'text/plain', 'signature_invalid'],
    ];
    for (const [name, change, code] of rows)
      assert.equal(await ask(ours, withHeader(delivery, name, change)), code, `${name}: ${code}`);
    const others = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: makeOwnKey(0).publicKey }] };
    assert.equal(await ask({ keys: others, url }), 'key_unknown');
  });

  test('by published keys: they are fetched once, again for an unknown one, and stay while the directory is away', async () => {
    const directory = new TestDirectory();
    const nowMs = (): number => directory.nowMs;
    const check = createWebhookCheck({ directoryUrl, url, fetch: directory.fetch, nowMs });
    const [first, second, unknown] = [makeOwnKey(0), makeOwnKey(0), makeOwnKey(0)];
    const jwkOf = ({ publicKey }: typeof first): object => ({ kty: 'OKP', crv: 'Ed25519', x: publicKey });
    const codeFor = async (published: typeof first): Promise<string> => {
      const { id: eventId } = JSON.parse(delivery.body.toString()) as { id: string };
      const sent = { eventId, targetUri: url, body: delivery.body };
      const headers = signWebhook(sent, { published, secrets: [Buffer.alloc(32)] }, directory.nowMs);
      return codeOf(await check({ headers, body: delivery.body }));
    };
    directory.keys = [jwkOf(first)];
    const codes = await Promise.all(Array.from({ length: 10 }, () => codeFor(first)));
    assert.deepEqual([new Set(codes), directory.reads.length], [new Set(['accepted']), 1]);
    directory.keys.push(jwkOf(second));
    assert.deepEqual([await codeFor(second), directory.reads.length], ['accepted', 2]);
    for (let count = 0; count < 50; count += 1) assert.equal(await codeFor(unknown), 'key_unknown');
    const reads = directory.reads.length;
    for (let elapsed = 0; elapsed < 120; elapsed += 1) {
      directory.pass(1);
      await codeFor(unknown);
    }
    assert.deepEqual([reads, directory.reads.length], [6, 8], 'once a minute, with some spare');
    directory.answer = () => new Response('', { status: 500 });
    directory.pass(1800);
    assert.equal(await codeFor(first), 'accepted');
    directory.pass(3600);
    assert.equal(await codeFor(first), 'keys_unavailable');
  });

  test('wrong options are rejected, and secrets are not shown', () => {
    const wrong: readonly (readonly [unknown, RegExp])[] = [
      [undefined, /options/],
      [{}, /one of secret, directoryUrl and keys/],
      [{ secret, keys: { keys } }, /one of secret, directoryUrl and keys/],
      [{ secret: [] }, /1 to 4 secrets/],
      [{ secret: 7 }, /secret/],
      [{ secret: secret.slice(6) }, /whsec_/],
      [{ secret: 'whsec_AAAA' }, /whsec_/],
      [{ keys: { keys } }, /url/],
      [{ directoryUrl: 'http://auth.example.test/', url }, /https/],
      [{ directoryUrl: 7, url }, /directoryUrl/],
      [{ secret, toleranceSeconds: Number.NaN }, /toleranceSeconds/],
      [{ secret, seen: {} }, /seen/],
      [{ secret, nowMs: 7 }, /nowMs/],
    ];
    for (const [options, message] of wrong)
      assert.throws(
        () => createWebhookCheck(options as WebhookCheckOptions),
        (error) =>
          error instanceof TypeError &&
          message.test(error.message) &&
          !error.message.includes(secret.slice(6)),
        String(message),
      );
  });
});
