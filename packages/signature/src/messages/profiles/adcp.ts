import type { MessageProfile } from '../message-profile.ts';

/** Advertising between agents. */
export const adcp32: MessageProfile = {
  id: 'adcp-3.2',
  title: 'Ad Context Protocol, request signing, profile 3.2',
  source: 'https://adcontextprotocol.org/docs/building/by-layer/L1/security',
  notes: [
    "Signed by buyers' and sellers' agents. The protocol normalizes URLs before it signs them; this profile signs the URL's text, which is the same for URLs that are normal already.",
  ],
  message: 'request',
  select: { tag: 'adcp/request-signing/v1', complete: true },
  components: {
    required: [
      { identifier: '@method' },
      { identifier: '@target-uri' },
      { identifier: '@authority' },
      { identifier: 'content-type', when: 'body' },
      { identifier: 'content-digest', when: 'body' },
    ],
    others: 'any',
  },
  parameters: {
    created: 'required',
    expires: 'required',
    nonce: 'required',
    keyid: 'required',
    alg: 'required',
    tag: 'required',
  },
  algorithms: ['ed25519', 'ecdsa-p256-sha256'],
  time: { maxFutureSeconds: 60, maxLifeSeconds: 300, expiresGraceSeconds: 60 },
  replay: 'nonce',
  // 16 bytes of base64url.
  nonceLength: { min: 22, max: 256 },
  digests: ['sha-256'],
};
