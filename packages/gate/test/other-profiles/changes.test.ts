import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineProfile, type MessageProfile } from '@countersign/signature/messages/node';
import { contentDigest } from '@countersign/signature/node';
import {
  addParty,
  algorithmsOf,
  apiForAll,
  codeFor,
  type Draft,
  otherApiUrl,
  profiles,
  type Sent,
  signed,
  withLine,
} from '@countersign/testing/profiled-requests';

/*
 * Whatever is changed on the way is rejected if the client's profile binds it. Where it does not, the request is accepted,
 * and the API learns what is covered.
 */

interface Change {
  readonly draft?: Draft;
  readonly change: (sent: Sent) => Sent;
  readonly code: (profile: MessageProfile) => string;
}

const scene = apiForAll();
const posted: Draft = { method: 'POST', body: '{"amount":1}' };

const unless = (part: 'method' | 'authority' | 'path' | 'query' | 'body', code: string) => {
  return (profile: MessageProfile): string =>
    defineProfile(profile).binds.includes(part) ? code : 'accepted';
};
const withUrl = (change: (url: string) => string) => {
  return (sent: Sent): Sent => ({ ...sent, url: change(sent.url) });
};
const coversDigest = ({ components }: MessageProfile): boolean =>
  components.required.some(({ identifier }) => identifier === 'content-digest');

const changes: Readonly<Record<string, Change>> = {
  'another method': {
    draft: posted,
    change: (sent) => ({ ...sent, method: 'PUT' }),
    code: unless('method', 'signature_invalid'),
  },
  'another host': {
    change: (sent) => ({ ...sent, lines: [['Host', new URL(otherApiUrl).host], ...sent.lines] }),
    code: unless('authority', 'signature_invalid'),
  },
  'another path': {
    change: withUrl((url) => url.replace('?', '/lines?')),
    code: unless('path', 'signature_invalid'),
  },
  'another query': {
    change: withUrl((url) => url.replace('open', 'paid')),
    code: unless('query', 'signature_invalid'),
  },
  'no query': {
    change: withUrl((url) => url.replace(/\?.*/, '')),
    // A covered @query that is not there is the empty one (RFC 9421 section 2.2.7).
    code: unless('query', 'signature_invalid'),
  },
  'another body': {
    draft: posted,
    change: (sent) => ({ ...sent, body: '{"amount":9}' }),
    code: unless('body', 'digest_mismatch'),
  },
  'another body of another length': {
    draft: posted,
    change: (sent) => ({ ...sent, body: '{"amount":1000}' }),
    code: unless('body', 'digest_mismatch'),
  },
  'another body, in chunks': {
    draft: posted,
    change: (sent) => ({ ...sent, body: '{"amount":9}', isChunked: true }),
    code: unless('body', 'digest_mismatch'),
  },
  'another body with its own digest': {
    draft: posted,
    change: (sent) =>
      withLine({ ...sent, body: '{"amount":9}' }, 'Content-Digest', () =>
        contentDigest(Buffer.from('{"amount":9}')),
      ),
    code: unless('body', 'signature_invalid'),
  },
  'no body': {
    draft: posted,
    change: (sent) => ({ ...sent, body: undefined }),
    code: (profile) =>
      profile.components.order === 'fixed'
        ? 'components_invalid'
        : unless('body', 'digest_mismatch')(profile),
  },
  'a body that was not signed': {
    change: (sent) => ({ ...sent, body: '{"amount":9}' }),
    code: unless('body', 'components_invalid'),
  },
  'a body in chunks that was not signed': {
    change: (sent) => ({ ...sent, body: '{"amount":9}', isChunked: true }),
    code: unless('body', 'components_invalid'),
  },
  'no digest': {
    draft: posted,
    change: (sent) => withLine(sent, 'Content-Digest', () => undefined),
    code: (profile) => (coversDigest(profile) ? 'components_invalid' : 'accepted'),
  },
  'another covered header': {
    draft: { signature: { others: ['x-partner'] } },
    change: (sent) => withLine(sent, 'X-Partner', () => 'p-2'),
    code: () => 'signature_invalid',
  },
  'a covered header less': {
    draft: { signature: { others: ['x-partner'] } },
    change: (sent) => withLine(sent, 'X-Partner', () => undefined),
    code: () => 'components_invalid',
  },
  'a covered header twice': {
    draft: { signature: { others: ['x-partner'] } },
    change: (sent) => ({ ...sent, lines: [...sent.lines, ['X-Partner', 'p-2']] }),
    code: () => 'signature_invalid',
  },
  'a covered header that Connection names': {
    draft: { signature: { others: ['x-partner'] } },
    change: (sent) => ({ ...sent, lines: [...sent.lines, ['Connection', 'close, X-Partner']] }),
    code: () => 'request_malformed',
  },
  'another keyid': {
    change: (sent) => withLine(sent, 'Signature-Input', (text) => text.replace('keyid="c', 'keyid="d')),
    code: () => 'signature_invalid',
  },
  'another created': {
    change: (sent) =>
      withLine(sent, 'Signature-Input', (text) =>
        text.replace(/created=(\d+)/, (_, created: string) => `created=${Number(created) - 1}`),
      ),
    code: () => 'signature_invalid',
  },
  'a component less': {
    draft: { signature: { others: ['x-partner'] } },
    change: (sent) => withLine(sent, 'Signature-Input', (text) => text.replace(' "x-partner"', '')),
    code: () => 'signature_invalid',
  },
  'parameters in another order': {
    change: (sent) => withLine(sent, 'Signature-Input', (text) => text.replace(/(;created=\d+)(.*)/, '$2$1')),
    code: () => 'signature_invalid',
  },
  'a signature cut short': {
    change: (sent) => withLine(sent, 'Signature', (text) => text.replace(/:.*:/, ':AAAA:')),
    code: () => 'signature_invalid',
  },
  'no signature': {
    change: (sent) => withLine(sent, 'Signature', () => undefined),
    code: () => 'signature_missing',
  },
};

for (const profile of profiles) {
  const names = algorithmsOf(profile);

  // What a signature binds does not depend on its algorithm; test/mutations changes requests of each.
  test(`${profile.id}: changed on the way, rejected unless the profile leaves it open`, async () => {
    const party = await addParty(scene.api, profile);
    const codes: Record<string, string> = {};
    const expected: Record<string, string> = {};
    const receivedBefore = scene.api.received.length;
    for (const [name, { draft, change, code }] of Object.entries(changes)) {
      codes[name] = await codeFor(scene.api, change(await signed(party, draft)));
      expected[name] = code(profile);
    }
    assert.deepEqual(codes, expected);
    const passed = Object.values(codes).filter((code) => code === 'accepted');
    assert.equal(scene.api.received.length - receivedBefore, passed.length);
  });

  test(`${profile.id}: accepted as signed with ${names.join(', ')}`, async () => {
    for (const algorithm of names) {
      const party = await addParty(scene.api, profile, algorithm);
      assert.equal(await codeFor(scene.api, await signed(party)), 'accepted');
      for (const isChunked of [false, true]) {
        const sent = await signed(party, { ...posted, isChunked });
        assert.equal(await codeFor(scene.api, sent), 'accepted');
        const received = scene.api.received.at(-1)!;
        assert.equal(received.body, posted.body);
        assert.deepEqual(received.values('content-digest'), [contentDigest(Buffer.from(received.body))]);
        assert.deepEqual(received.values('countersign-client-id'), [party.clientId]);
        assert.deepEqual(received.values('countersign-profile'), [profile.id]);
      }
    }
  });
}
