import type { MessageProfile } from '../message-profile.ts';

/** Commerce between platforms and shops. */
export const ucpRequest2026: MessageProfile = {
  id: 'ucp-request-2026-08',
  title: 'Universal Commerce Protocol, August 2026, requests',
  source: 'https://ucp.dev/specification/signatures/',
  notes: [
    'Signed by commerce platforms. A signature has no time of its own: the covered `Idempotency-Key` prevents replays, which the caller must check, and reads can be repeated by whoever sees them.',
  ],
  message: 'request',
  select: { tag: 'web-bot-auth', untagged: true, complete: true },
  components: {
    required: [
      { identifier: '@method' },
      { identifier: '@authority' },
      { identifier: '@path' },
      { identifier: '@query', when: 'query' },
      { identifier: 'content-digest', when: 'body' },
      { identifier: 'content-type', when: 'body' },
      { identifier: 'idempotency-key', when: { methods: ['POST', 'PUT', 'PATCH', 'DELETE'] } },
      { identifier: 'ucp-agent', when: 'present' },
      { identifier: 'signature-agent', when: 'present' },
    ],
    others: 'any',
  },
  parameters: {
    created: 'allowed',
    expires: 'allowed',
    keyid: 'required',
    nonce: 'allowed',
    tag: 'allowed',
  },
  algorithms: ['ecdsa-p256-sha256', 'ecdsa-p384-sha384', 'ed25519'],
  time: { maxFutureSeconds: 60, neverExpires: true },
  replay: 'off',
  digests: ['sha-256'],
};

/** Shops' answers. */
export const ucpResponse2026: MessageProfile = {
  id: 'ucp-response-2026-08',
  title: 'Universal Commerce Protocol, August 2026, responses',
  source: ucpRequest2026.source!,
  notes: ['Signed by shops. A response is not bound to the request that it answers.'],
  message: 'response',
  components: {
    required: [
      { identifier: '@status' },
      { identifier: 'content-digest', when: 'body' },
      { identifier: 'content-type', when: 'body' },
    ],
    others: 'any',
  },
  parameters: { created: 'required', keyid: 'required' },
  algorithms: ucpRequest2026.algorithms,
  time: { maxAgeSeconds: 300, maxFutureSeconds: 60 },
  replay: 'off',
  digests: ['sha-256'],
};
