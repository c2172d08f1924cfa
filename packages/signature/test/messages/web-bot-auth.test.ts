import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import * as onNode from '../../src/on-node/messages.ts';
import * as onWeb from '../../src/on-web/messages.ts';
import { defineProfile, MemoryMessageGuard, messageProfiles } from '../../src/on-web/messages.ts';
import { platforms, withLines } from './platforms.ts';

interface AgentCase {
  readonly id: string;
  readonly title: string;
  readonly signer: {
    readonly input: {
      readonly method: string;
      readonly url: string;
      readonly body: string | null;
      readonly privateKey: string;
      readonly signatureAgent: string;
      readonly created: number;
      readonly expires: number;
      readonly nonce: string;
    };
    readonly output: {
      readonly signatureBase: string;
      readonly contentDigest: string | null;
      readonly signatureAgent: string;
      readonly signatureInput: string;
      readonly signature?: string;
      readonly exampleSignature?: string;
    };
  };
}

const vectors = JSON.parse(
  readFileSync(new URL('../../../../vectors/web-bot-auth.json', import.meta.url), 'utf8'),
) as { readonly thumbprints: Readonly<Record<string, string>>; readonly cases: readonly AgentCase[] };
const { keys } = JSON.parse(
  readFileSync(new URL('../../../../vectors/profile/keys.json', import.meta.url), 'utf8'),
) as { readonly keys: Readonly<Record<string, { publicKeyPem: string; privateKeyPem: string }>> };

const profile = defineProfile(messageProfiles.webBotAuth01);

test('the thumbprints are those of the vectors', async () => {
  for (const [name, thumbprint] of Object.entries(vectors.thumbprints)) {
    const pem = keys[name]!.publicKeyPem;
    assert.equal(await onNode.keyThumbprint(pem, { allowPublishedTestKeys: true }), thumbprint);
    assert.equal(await onWeb.keyThumbprint(pem, { allowPublishedTestKeys: true }), thumbprint);
  }
});

test('the thumbprint of RFC 7638 section 3.1 is found', async () => {
  const key = {
    kty: 'RSA',
    n:
      '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknj' +
      'hMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQ' +
      'vRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzK' +
      'nqDKgw',
    e: 'AQAB',
    alg: 'RS256',
    kid: '2011-04-29',
  };
  for (const { keyThumbprint } of [onNode, onWeb])
    assert.equal(
      await keyThumbprint(key, { allowPublishedTestKeys: true }),
      'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs',
    );
});

for (const platform of platforms) {
  describe(`the vectors of agents, ${platform.name}`, () => {
    for (const { id, title, signer } of vectors.cases) {
      const { input, output } = signer;
      const key = keys[input.privateKey]!;
      const keyid = vectors.thumbprints[input.privateKey]!;
      const message = {
        method: input.method.toUpperCase(),
        targetUri: input.url,
        headers: [['Signature-Agent', output.signatureAgent]] as [string, string][],
        body: input.body === null ? undefined : new TextEncoder().encode(input.body),
      };

      test(`${id}: ${title}, signed`, async () => {
        const { headers, signatureBase } = await platform.signMessage(
          output.contentDigest === null
            ? message
            : { ...message, headers: [...message.headers, ['Content-Digest', output.contentDigest]] },
          {
            profile,
            key: await platform.signingKey(key.privateKeyPem),
            keyid,
            created: input.created,
            expires: input.expires,
            nonce: input.nonce,
            alg: true,
            others: [
              '@authority',
              '@method',
              '@target-uri',
              ...(input.body === null ? [] : ['content-digest']),
              '"signature-agent";key="sig"',
            ],
          },
        );
        assert.equal(signatureBase, output.signatureBase);
        assert.equal(headers['Signature-Input'], output.signatureInput);
        if (output.signature !== undefined) assert.equal(headers.Signature, output.signature);
      });

      test(`${id}: ${title}, verified once`, async () => {
        const signature = output.signature ?? output.exampleSignature!;
        const received = {
          ...message,
          headers: withLines(message.headers, {
            ...(output.contentDigest !== null && { 'Content-Digest': output.contentDigest }),
            'Signature-Input': output.signatureInput,
            Signature: signature,
          }),
        };
        const verifying = await platform.verifyingKey(key.publicKeyPem, { allowPublishedTestKeys: true });
        const settings = {
          profile,
          keysFor: (claimed: { keyid?: string | undefined }) =>
            claimed.keyid === keyid ? verifying : undefined,
          guard: new MemoryMessageGuard(),
          nowSeconds: () => input.created + 1,
        };
        const tampered = await platform.verifyMessage({ ...received, method: 'PATCH' }, settings);
        assert.equal(tampered.ok ? 'ok' : tampered.code, 'signature_invalid');
        const verified = await platform.verifyMessage(received, settings);
        assert.ok(verified.ok, JSON.stringify(verified));
        const again = await platform.verifyMessage(received, settings);
        assert.equal(again.ok ? 'ok' : again.code, 'signature_replayed');
      });
    }
  });
}
