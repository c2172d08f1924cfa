import type { Profile } from '../profile.ts';

/** The closed profile: what every client's signatures follow unless its record says otherwise. */
export const countersign: Profile = {
  id: 'countersign',
  select: { label: 'sig' },
  components: {
    required: [
      { identifier: '@method', when: 'always' },
      { identifier: '@target-uri', when: 'always' },
      { identifier: 'content-digest', when: 'body' },
      { identifier: 'date', when: 'always' },
    ],
  },
  parameters: { created: 'required', keyid: 'required', alg: 'required', nonce: 'by setting' },
  algorithms: ['rsa-v1_5-sha256', 'ed25519', 'ecdsa-p256-sha256', 'ecdsa-p384-sha384'],
  time: { maxAgeSeconds: 300, maxFutureSeconds: 60, maxDateDifferenceSeconds: 60 },
  date: 'covered and close',
  limits: {
    signatureFieldLengthMax: 4096,
    // An 8 KiB target and its origin.
    targetUriLengthMax: 8492,
    keyidLengthMax: 256,
    nonceLengthMin: 16,
    nonceLengthMax: 64,
  },
};
