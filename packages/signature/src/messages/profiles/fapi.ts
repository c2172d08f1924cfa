import type { MessageProfile } from '../message-profile.ts';

const source = 'https://openid.bitbucket.io/fapi/fapi-2_0-http-signatures.html';

/** Open banking's requests. */
export const fapi2Request01: MessageProfile = {
  id: 'fapi-2-request-01',
  title: 'FAPI 2.0 HTTP Signatures, draft 01, requests',
  source,
  notes: [
    'Signed by clients of open banking. The draft names no algorithms; these are those of the FAPI 2.0 security profile. It does not mention replays; this profile lets each base pass once.',
  ],
  message: 'request',
  select: { tag: 'fapi-2-request' },
  components: {
    required: [
      { identifier: '@method' },
      { identifier: '@target-uri' },
      { identifier: 'authorization' },
      { identifier: 'dpop', when: 'present' },
      { identifier: 'content-digest', when: 'body' },
    ],
    others: 'any',
  },
  parameters: {
    created: 'required',
    expires: 'allowed',
    keyid: 'allowed',
    alg: 'allowed',
    nonce: 'allowed',
    tag: 'required',
  },
  algorithms: ['ecdsa-p256-sha256', 'PS256', 'ed25519'],
  time: { maxAgeSeconds: 60, maxFutureSeconds: 10 },
  replay: 'nonce or base',
  digests: ['sha-256', 'sha-512'],
};

/** Open banking's responses, bound to their requests. */
export const fapi2Response01: MessageProfile = {
  id: 'fapi-2-response-01',
  title: 'FAPI 2.0 HTTP Signatures, draft 01, responses',
  source,
  notes: [
    'Signed by servers of open banking. The draft does not tell clients to check the parts of the request; this profile requires them, so that a response cannot answer a request with another method or URL. It can answer another request with the same ones.',
  ],
  message: 'response',
  select: { tag: 'fapi-2-response' },
  components: {
    required: [
      { identifier: '@status' },
      { identifier: 'content-digest', when: 'body' },
      { identifier: '"@method";req' },
      { identifier: '"@target-uri";req' },
      { identifier: '"content-digest";req', when: 'present' },
    ],
    others: 'any',
  },
  parameters: fapi2Request01.parameters,
  algorithms: fapi2Request01.algorithms,
  time: fapi2Request01.time,
  replay: 'off',
  digests: ['sha-256', 'sha-512'],
};
