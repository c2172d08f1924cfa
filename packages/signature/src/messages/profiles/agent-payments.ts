import type { MessageProfile } from '../message-profile.ts';

/** Shopping agents of Visa's protocol. */
export const agentPayments2025: MessageProfile = {
  id: 'agent-payments-2025',
  title: "Visa's Trusted Agent Protocol, as published in October 2025",
  source:
    'https://developer.visa.com/capabilities/trusted-agent-protocol/trusted-agent-protocol-specifications',
  notes: [
    'Signed by shopping agents, with one tag for browsing and one for paying. The method, the query and the body are not bound.',
    "Visa's sample code writes `keyId`, which no structured field can have, and puts the query into `@path`: its requests are rejected. PSS with SHA-256 (`PS256`) has no registered `alg`, so leave `alg` out.",
  ],
  message: 'request',
  select: { tag: ['agent-browser-auth', 'agent-payer-auth'] },
  components: { required: [{ identifier: '@authority' }, { identifier: '@path' }], others: 'any' },
  parameters: {
    created: 'required',
    expires: 'required',
    keyid: 'required',
    alg: 'allowed',
    nonce: 'required',
    tag: 'required',
  },
  algorithms: ['ed25519', 'rsa-pss-sha512', 'PS256'],
  time: { maxFutureSeconds: 60, maxLifeSeconds: 480 },
  replay: 'nonce',
  digests: ['sha-256', 'sha-512'],
};
