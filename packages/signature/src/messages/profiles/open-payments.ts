import type { MessageProfile } from '../message-profile.ts';

/** Grants of GNAP. */
export const gnap: MessageProfile = {
  id: 'gnap-rfc9635',
  title: 'GNAP, proof by HTTP Message Signatures',
  source: 'https://www.rfc-editor.org/rfc/rfc9635#section-7.3.1',
  notes: [
    'Signed by clients of the Grant Negotiation and Authorization Protocol. `keyid` is the `kid` of the key, whose JWK determines the algorithm.',
  ],
  message: 'request',
  select: { tag: 'gnap' },
  components: {
    required: [
      { identifier: '@method' },
      { identifier: '@target-uri' },
      { identifier: 'content-digest', when: 'body' },
      { identifier: 'authorization', when: 'present' },
    ],
    others: 'any',
  },
  parameters: {
    created: 'required',
    expires: 'allowed',
    keyid: 'required',
    nonce: 'allowed',
    tag: 'required',
  },
  algorithms: [
    'ed25519',
    'ecdsa-p256-sha256',
    'ecdsa-p384-sha384',
    'PS256',
    'rsa-pss-sha512',
    'rsa-v1_5-sha256',
  ],
  time: { maxAgeSeconds: 300, maxFutureSeconds: 60 },
  replay: 'nonce or base',
  digests: ['sha-256', 'sha-512'],
};

/** Wallets of Open Payments. */
export const openPayments: MessageProfile = {
  ...gnap,
  id: 'open-payments-1.4',
  title: 'Open Payments, as its libraries of 2026 sign',
  source: 'https://openpayments.dev/identity/http-signatures/',
  notes: [
    'Signed by wallets and their clients: GNAP without its tag, Ed25519 alone, and with or without `alg`. Its own libraries accept a body whose digest is not covered; this profile does not.',
  ],
  select: { tag: 'gnap', untagged: true },
  parameters: { ...gnap.parameters, alg: 'allowed', tag: 'allowed' },
  algorithms: ['ed25519'],
  digests: ['sha-512', 'sha-256'],
};
