import type { MessageProfile } from '../message-profile.ts';

/** Servers of social networks that speak ActivityPub. */
export const mastodon45: MessageProfile = {
  id: 'mastodon-4.5',
  title: "Mastodon's RFC 9421 signatures, as version 4.5 accepts them",
  source: 'https://docs.joinmastodon.org/spec/security/',
  notes: [
    "`keyid` is the URL of the actor's key, which the caller fetches. Mastodon requires a digest of POST only; this profile requires it of every request with a body, and with an `expires` it keeps to the shorter life.",
    'Nothing in such a signature prevents a replay; this profile lets each base pass once.',
  ],
  message: 'request',
  components: {
    required: [
      { identifier: '@method' },
      { identifier: '@target-uri' },
      { identifier: 'content-digest', when: 'body' },
    ],
    others: 'any',
  },
  parameters: {
    created: 'required',
    expires: 'allowed',
    keyid: 'required',
    alg: 'allowed',
    nonce: 'allowed',
    tag: 'allowed',
  },
  algorithms: ['rsa-v1_5-sha256', 'ed25519'],
  time: { maxAgeSeconds: 3900, maxFutureSeconds: 3600, expiresGraceSeconds: 3600 },
  replay: 'base',
  digests: ['sha-256'],
};
