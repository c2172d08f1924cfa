import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import { messageProfiles } from '@countersign/signature/messages/node';
import { contentDigest } from '@countersign/signature/node';
import {
  addParty,
  apiForAll,
  freshUrl,
  profiles,
  type Sent,
  signed,
  signedOtherwise,
} from '@countersign/testing/profiled-requests';
import { apiBaseUrl } from '@countersign/testing/running-service';
import { exchange, type WireAnswer } from '@countersign/testing/wire';
import { handOvers, type Original } from './hand-overs.ts';

/*
 * Requests by other profiles that proxies hand over, with bodies that they keep.
 */

/** The check of the documents: plain JavaScript, as a reader copies it. */
const { isVerifiedBody } = (await import(
  new URL('../../../../examples/proxies/digest/verified-body.js', import.meta.url).href
)) as { isVerifiedBody: (body: Uint8Array, headers: Readonly<Record<string, string>>) => boolean };

const { curl822, gnap, webBotAuth01 } = messageProfiles;
/** nginx, Caddy and Traefik keep bodies here, each with another of the settings; HAProxy hands them over. */
const authorizers = {
  nginx: { from: ['127.0.0.1'], body: 'digest' },
  caddy: { from: ['127.0.0.1'], body: 'unchecked' },
  haproxy: { from: ['127.0.0.1'] },
  traefik: { from: ['127.0.0.1'] },
};
const scene = apiForAll(profiles, { environment: { COUNTERSIGN_AUTHORIZERS: JSON.stringify(authorizers) } });

const body = '{"amount":1}';
const other = '{"amount":9}';
const bySha256 = contentDigest(Buffer.from(body));
const bySha512 = `sha-512=:${hash('sha512', body, 'base64')}:`;
const ofOther = contentDigest(Buffer.from(other));
const ofNothing = contentDigest(new Uint8Array(0));

function ask(
  protocol: keyof typeof authorizers,
  sent: Sent,
  change: Partial<Original> = {},
): Promise<WireAnswer> {
  const original: Original = {
    method: sent.method,
    target: sent.url.slice(apiBaseUrl.length),
    host: new URL(apiBaseUrl).host,
    address: '198.51.100.7',
    headers: sent.lines,
    body: sent.body,
    ...change,
  };
  const port = Number(new URL(scene.api.running.service.authorizerAddress!).port);
  const request = handOvers[protocol]!(original);
  // Without this, Traefik shows nothing of a body that it keeps.
  const target = request.target.replace('?body=whole', '');
  return exchange(port, { ...request, target }, { localAddress: '127.0.0.1' });
}

function codeOf(answer: WireAnswer): string {
  const told = answer.headers['countersign-refusal'];
  return told === undefined ? answer.verdict : (JSON.parse(told) as { code: string }).code;
}

describe('a proxy that hands bodies over', () => {
  for (const profile of profiles)
    test(`${profile.id}: is allowed as signed, and told what is covered`, async () => {
      const party = await addParty(scene.api, profile);
      for (const draft of [{}, { method: 'POST', body }]) {
        const answer = await ask('haproxy', await signed(party, draft));
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.headers['countersign-client-id'], party.clientId);
        assert.equal(answer.headers['countersign-profile'], profile.id);
        assert.match(answer.headers['countersign-covered']!, /^"@/);
      }
    });

  test('a changed body is rejected, a kept one is not seen', async () => {
    const party = await addParty(scene.api, gnap);
    const sent = await signed(party, { method: 'POST', body });
    assert.equal(codeOf(await ask('haproxy', sent, { body: other })), 'digest_mismatch');
    assert.equal(codeOf(await ask('haproxy', await signed(party, { method: 'POST', body }))), 'ok');
  });

  test('headers that only we write are rejected from a client', async () => {
    const party = await addParty(scene.api, curl822);
    for (const name of ['Countersign-Profile', 'Countersign-Covered', 'countersign_covered']) {
      const sent = await signed(party);
      const answer = await ask('haproxy', { ...sent, lines: [...sent.lines, [name, '"@method"']] });
      assert.equal(codeOf(answer), 'request_malformed', name);
    }
  });
});

describe('a proxy that keeps bodies, whose API compares digests', () => {
  /** What is sent as Content-Digest, what covers it, and whether the API finds the body verified. */
  const cases: readonly (readonly [digest: string | undefined, covering: string, isVerified: boolean])[] = [
    [bySha512, '"content-digest"', false],
    [bySha512, '"content-digest";key="sha-512"', false],
    [`${bySha256}, ${bySha512}`, '"content-digest";key="sha-512"', false],
    [`${ofOther}, ${bySha512}`, '"content-digest";key="sha-512"', false],
    [bySha256, '"x-partner"', false],
    [undefined, '"x-partner"', false],
    [bySha256, '"content-digest"', true],
    [`${bySha256}, ${bySha512}`, '"content-digest"', true],
    [`${bySha256}, ${bySha512}`, '"content-digest";key="sha-256"', true],
  ];

  test('is told the signed SHA-256, or the digest of nothing, never what nobody signed', async () => {
    for (const profile of [curl822, webBotAuth01]) {
      const party = await addParty(scene.api, profile);
      for (const [digest, covering, isVerified] of cases) {
        const draft = { method: 'POST', body };
        const sent = await signedOtherwise(party, draft, ({ components }) => ({
          components: [...components, covering],
          ...(digest !== undefined && { digest }),
        }));
        const answer = await ask('nginx', sent);
        assert.equal(codeOf(answer), 'ok');
        const told = { 'countersign-content-digest': answer.headers['countersign-content-digest']! };
        assert.equal(told['countersign-content-digest'], isVerified ? bySha256 : ofNothing);
        assert.equal(isVerifiedBody(Buffer.from(body), told), isVerified, `${digest} by ${covering}`);
        assert.equal(isVerifiedBody(Buffer.from(other), told), false);
      }
    }
  });

  test('a digest on two lines is one digest', async () => {
    const party = await addParty(scene.api, gnap);
    const lines = [
      ['Content-Digest', bySha512],
      ['Content-Digest', bySha256],
    ] as const;
    const sent = await signed(party, { method: 'POST', body, lines, url: freshUrl() });
    const answer = await ask('nginx', sent);
    assert.equal(answer.headers['countersign-content-digest'], bySha256);
  });

  test('a digest that cannot be read, or has none that the profile knows, is rejected', async () => {
    const party = await addParty(scene.api, curl822);
    for (const [digest, code] of [
      ['sha-256=abc', 'digest_malformed'],
      ['sha=:AAAA:', 'digest_missing'],
    ] as const) {
      const sent = await signedOtherwise(party, { method: 'POST', body }, ({ components }) => ({
        components: [...components, '"content-digest"'],
        digest,
      }));
      assert.equal(codeOf(await ask('nginx', sent)), code);
    }
  });

  test('a request passes once', async () => {
    const party = await addParty(scene.api, webBotAuth01);
    const sent = await signed(party, { method: 'POST', body });
    assert.equal(codeOf(await ask('nginx', sent)), 'ok');
    assert.equal(codeOf(await ask('nginx', sent)), 'signature_replayed');
    assert.equal(codeOf(await ask('caddy', sent, { target: '/orders/other' })), 'signature_replayed');
  });

  test('a body on a request that says it has none is the API’s to see', async () => {
    const party = await addParty(scene.api, curl822);
    const answer = await ask('nginx', await signed(party));
    assert.equal(codeOf(answer), 'ok');
    const told = { 'countersign-content-digest': answer.headers['countersign-content-digest']! };
    assert.equal(isVerifiedBody(new Uint8Array(0), told), true);
    assert.equal(isVerifiedBody(Buffer.from(other), told), false);
  });
});

describe('a proxy that keeps bodies, with the default setting', () => {
  test('is told to reject a request that may have one, covered or not', async () => {
    for (const profile of [curl822, gnap]) {
      const party = await addParty(scene.api, profile);
      const sent = await signed(party, { method: 'POST', body });
      assert.equal(codeOf(await ask('traefik', { ...sent, body: undefined })), 'body_unseen');
    }
  });
});

describe('a proxy that keeps bodies which nobody checks', () => {
  test('is told no digest', async () => {
    const party = await addParty(scene.api, curl822);
    const answer = await ask('caddy', await signed(party, { method: 'POST', body }));
    assert.equal(codeOf(answer), 'ok');
    assert.equal(answer.headers['countersign-content-digest'], undefined);
  });
});
