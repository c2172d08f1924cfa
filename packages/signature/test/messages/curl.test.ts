import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  defineProfile,
  MemoryMessageGuard,
  messageProfiles,
  type RequestMessage,
} from '../../src/on-web/messages.ts';
import { type MessagesPlatform, platforms } from './platforms.ts';

interface Recorded {
  readonly id: string;
  readonly title: string;
  readonly created: number;
  readonly request: Omit<RequestMessage, 'headers' | 'body'> & {
    readonly headers: readonly (readonly [string, string])[];
    readonly body: string | null;
  };
}

const { publicKeyPem, cases } = JSON.parse(
  readFileSync(new URL('../../../../vectors/curl.json', import.meta.url), 'utf8'),
) as { readonly publicKeyPem: string; readonly cases: readonly Recorded[] };
const profile = defineProfile(messageProfiles.curl822);

async function outcomeOf(
  { verifyMessage, verifyingKey }: MessagesPlatform,
  { request, created }: Recorded,
  changed: Partial<Recorded['request']> = {},
): Promise<string> {
  const key = await verifyingKey(publicKeyPem, { allowPublishedTestKeys: true });
  const sent = { ...request, ...changed };
  const result = await verifyMessage(
    { ...sent, body: sent.body === null ? null : Buffer.from(sent.body) },
    { profile, keysFor: () => key, guard: new MemoryMessageGuard(), nowSeconds: () => created + 10 },
  );
  return result.ok ? 'accepted' : result.code;
}

for (const platform of platforms)
  describe(`what curl 8.22 signed, on ${platform.name}`, () => {
    for (const recorded of cases)
      test(`${recorded.title} is accepted, and rejected with another method, host, path or query`, async () => {
        const { targetUri } = recorded.request;
        assert.equal(await outcomeOf(platform, recorded), 'accepted');
        for (const changed of [
          { method: 'POST' },
          { targetUri: targetUri.replace('127.0.0.1', '127.0.0.2') },
          { targetUri: targetUri.replace('orders', 'order') },
        ])
          assert.equal(await outcomeOf(platform, recorded, changed), 'signature_invalid');
        assert.match(
          await outcomeOf(platform, recorded, { targetUri: `${targetUri}?x=1` }),
          /signature_invalid|components_invalid/,
        );
      });

    test('a covered digest binds the body', async () => {
      const withBody = cases.find(({ request }) => request.body !== null)!;
      assert.equal(await outcomeOf(platform, withBody, { body: '{"amount":"99.50"}' }), 'digest_mismatch');
    });
  });
