import type { SignatureFormat } from '../profile.ts';

/** The headers that tell an API behind the gateway who called. The gateway alone writes them, and signs all of them. */
export const identityFields: readonly [
  'countersign-client-id',
  'countersign-account',
  'countersign-roles',
  'countersign-key',
  'countersign-request-id',
] = [
  'countersign-client-id',
  'countersign-account',
  'countersign-roles',
  'countersign-key',
  'countersign-request-id',
];

export type IdentityField = (typeof identityFields)[number];

/**
 * The headers that tell it how the client signed, by another profile than the closed one. The signature covers them after
 * the others.
 */
export const profiledFields: readonly ['countersign-profile', 'countersign-covered'] = [
  'countersign-profile',
  'countersign-covered',
];

export type ProfiledField = (typeof profiledFields)[number];

/**
 * The headers that tell it, on a route that identifies, that nothing was proved. They are never signed, because the bodies of
 * such requests are never read; so a signed request has none of them.
 */
export const unprovedFields: readonly ['countersign-unproved', 'countersign-claimed'] = [
  'countersign-unproved',
  'countersign-claimed',
];

/** The format of the gateway's signatures, and their times. */
export interface ForwardedFormat extends SignatureFormat<'ed25519'> {
  readonly select: { readonly label: string; readonly tag: string };
  readonly time: {
    /** From `created` to `expires`. */
    readonly lifeSeconds: number;
    /** An API may set another limit. */
    readonly maxAgeSeconds: number;
    /** An API may set another limit. */
    readonly maxFutureSeconds: number;
  };
  readonly limits: {
    /** Characters in each of `Signature-Input` and `Signature`, with the signature of the client in them. */
    readonly signatureFieldLengthMax: number;
  };
}

/**
 * What the gateway signs for the API behind it, as an intermediary (RFC 9421 section 4.3): with a member of its own, in
 * addition to the client's.
 */
export const forwarded: ForwardedFormat = {
  id: 'forwarded',
  select: { label: 'countersign', tag: 'countersign-forwarded' },
  components: {
    required: [
      { identifier: '@method', when: 'always' },
      { identifier: '@target-uri', when: 'always' },
      { identifier: 'content-digest', when: 'body' },
      ...identityFields.map((identifier) => ({ identifier, when: 'always' as const })),
    ],
  },
  parameters: {
    created: 'required',
    expires: 'required',
    keyid: 'required',
    alg: 'required',
    tag: 'required',
  },
  algorithms: ['ed25519'],
  time: { lifeSeconds: 60, maxAgeSeconds: 60, maxFutureSeconds: 10 },
  limits: { signatureFieldLengthMax: 16_384 },
};

/** The same for a request that its client signed by another profile than the closed one. */
export const forwardedProfiled: ForwardedFormat = {
  ...forwarded,
  id: 'forwarded-profiled',
  components: {
    required: [
      ...forwarded.components.required,
      ...profiledFields.map((identifier) => ({ identifier, when: 'always' as const })),
    ],
  },
};
