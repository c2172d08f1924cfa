import type { MessageProfile } from '../message-profile.ts';

/** What `curl --httpsig-key` signs without further options. */
export const curl822: MessageProfile = {
  id: 'curl-8.22',
  title: "curl's --httpsig options, as of version 8.22",
  source: 'https://github.com/curl/curl/blob/master/lib/http_httpsig.c',
  notes: [
    'Signed by curl itself, where it was built with these options: they are experimental. curl computes no digest, so a body is bound only if you send `Content-Digest` and name it in `--httpsig-headers`.',
    'Two equal requests in one second have one signature, and the second is rejected as a replay.',
  ],
  message: 'request',
  select: { label: 'sig1' },
  components: {
    required: [
      { identifier: '@method' },
      { identifier: '@authority' },
      { identifier: '@path' },
      { identifier: '@query', when: 'query' },
    ],
    others: 'any',
  },
  parameters: { created: 'required', keyid: 'required', alg: 'required' },
  algorithms: ['ed25519', 'hmac-sha256'],
  time: { maxAgeSeconds: 300, maxFutureSeconds: 60 },
  replay: 'base',
  digests: ['sha-256', 'sha-512'],
};
