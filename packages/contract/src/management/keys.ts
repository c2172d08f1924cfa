import { z } from 'zod';
import { timeSchema, timestampSchema } from '../pages.ts';
import { keyTimes } from './key-times.ts';
import { publicKeySchema } from './public-key-text.ts';

/**
 * Where a key stands: `pending` (registered, has not signed a valid request yet), `active`, `retiring` (verifies until
 * `endsAt`), `expired`, `revoked`.
 */
export type KeyStatus = 'pending' | 'active' | 'retiring' | 'expired' | 'revoked';

/** Whether it is time to change a key: not yet, soon (in the suggested window), or past its time. */
export type KeyRotation = (typeof keyRotations)[number];

/** The states of rotation. */
export const keyRotations = ['not_due', 'due', 'overdue'] as const;

/** Why a key is revoked. */
export type RevocationReason = (typeof revocationReasons)[number];

/** The reasons for which a key is revoked. */
export const revocationReasons = ['compromised', 'superseded', 'unspecified'] as const;

/** A key as the management API shows it. Times are RFC 3339 in UTC. */
export interface Key {
  readonly keyId: string;
  readonly clientId: string;
  /** `SHA256:...` over the DER of the SubjectPublicKeyInfo. */
  readonly fingerprint: string;
  readonly modulusBits: number;
  /** SubjectPublicKeyInfo in PEM; only in answers about keys, not within those about clients. */
  readonly publicKeyPem?: string | undefined;
  readonly status: KeyStatus;
  readonly createdAt: string;
  /** Does not verify before. */
  readonly startsAt?: string | undefined;
  /** Does not verify from then on. */
  readonly endsAt?: string | undefined;
  /** When it signed its first valid request. */
  readonly firstUsedAt?: string | undefined;
  /** When it signed its last accepted request; written in batches, so some seconds late. */
  readonly lastUsedAt?: string | undefined;
  readonly revokedAt?: string | undefined;
  readonly revocationReason?: RevocationReason | undefined;
  /** The key that begins to end when this one has signed its first valid request, and how long it then verifies. */
  readonly replacesKeyId?: string | undefined;
  readonly overlapSeconds?: number | undefined;
  /** Whole days since it was registered. */
  readonly ageDays: number;
  /** Only while it can verify. */
  readonly rotation?: KeyRotation | undefined;
  readonly rotationDueAt?: string | undefined;
}

/** The body of `POST /v1/clients/{clientId}/keys`. */
export interface KeyRequest {
  readonly publicKey: string;
  /** How long the key before it verifies after this one has signed its first valid request; 72 hours unless set. */
  readonly overlapSeconds?: number | undefined;
  /** Does not verify before, and not from `endsAt` on; no limit unless set. */
  readonly startsAt?: string | undefined;
  readonly endsAt?: string | undefined;
}

/** The body of `retire`: when the key ends, in 72 hours unless set. */
export interface KeyRetirement {
  readonly endsAt?: string | undefined;
}

/** The body of `extend`: the later end. */
export interface KeyExtension {
  readonly endsAt: string;
}

/** The body of `revoke`. */
export interface KeyRevocation {
  readonly reason: RevocationReason;
}

/** The answer of `renewal-info` (RFC 9773 section 4.2): a client picks a random time in the window and renews then. */
export interface KeyRenewalInfo {
  readonly suggestedWindow: { readonly start: string; readonly end: string };
}

/** What a text is as a public key. Nothing of the text is in it but the fingerprint. */
export type KeyInspection =
  | {
      readonly isAcceptable: true;
      readonly format: 'spki' | 'pkcs1' | 'certificate' | 'jwk' | 'ssh-rsa';
      readonly modulusBits: number;
      readonly fingerprint: string;
      /** The client of the account that has the key, revoked or not. */
      readonly registeredForClientId?: string | undefined;
    }
  | {
      readonly isAcceptable: false;
      /** Why not, for programs: `private_key`, `modulus_too_small` and so on. */
      readonly reason: string;
      /** What to do about it. */
      readonly advice: string;
    };

const object = {
  error: (issue: { code?: string | undefined }): string | undefined =>
    issue.code === 'invalid_type' ? 'Send one JSON object.' : undefined,
};
const overlapAdvice = `Write the overlap as whole seconds from 0 to ${keyTimes.overlapSecondsMax}.`;

/** Checks the body that adds a key. */
export const keyRequestSchema: z.ZodType<KeyRequest> = z.strictObject(
  {
    publicKey: publicKeySchema,
    overlapSeconds: z.optional(
      z
        .int({ error: overlapAdvice })
        .min(0, { error: overlapAdvice })
        .max(keyTimes.overlapSecondsMax, { error: overlapAdvice }),
    ),
    startsAt: z.optional(timeSchema),
    endsAt: z.optional(timeSchema),
  },
  object,
);

/** Checks the body of `retire`. */
export const keyRetirementSchema: z.ZodType<KeyRetirement> = z.strictObject(
  { endsAt: z.optional(timeSchema) },
  object,
);

/** Checks the body of `extend`. */
export const keyExtensionSchema: z.ZodType<KeyExtension> = z.strictObject({ endsAt: timeSchema }, object);

/** Checks the body of `revoke`. */
export const keyRevocationSchema: z.ZodType<KeyRevocation> = z.strictObject(
  {
    reason: z.enum(revocationReasons, { error: `Write the reason: ${revocationReasons.join(', ')}.` }),
  },
  object,
);

/** Checks the body of `POST /v1/keys/inspect`. The text may be anything, a private key too: it is not kept. */
export const keyInspectionRequestSchema: z.ZodType<{ readonly publicKey: string }> = z.strictObject(
  { publicKey: publicKeySchema },
  object,
);

/** Describes a key in answers. */
export const keySchema: z.ZodType<Key> = z.strictObject({
  keyId: z.string().regex(/^key_[0-9a-z]{26}$/),
  clientId: z.string(),
  fingerprint: z.string().regex(/^SHA256:[0-9A-Za-z+/]{43}$/),
  modulusBits: z.int(),
  publicKeyPem: z.optional(z.string()),
  status: z.enum(['pending', 'active', 'retiring', 'expired', 'revoked']),
  createdAt: timestampSchema,
  startsAt: z.optional(timestampSchema),
  endsAt: z.optional(timestampSchema),
  firstUsedAt: z.optional(timestampSchema),
  lastUsedAt: z.optional(timestampSchema),
  revokedAt: z.optional(timestampSchema),
  revocationReason: z.optional(z.enum(revocationReasons)),
  replacesKeyId: z.optional(z.string()),
  overlapSeconds: z.optional(z.int()),
  ageDays: z.int(),
  rotation: z.optional(z.enum(keyRotations)),
  rotationDueAt: z.optional(timestampSchema),
});

/** Describes the answer of `renewal-info`. */
export const keyRenewalInfoSchema: z.ZodType<KeyRenewalInfo> = z.strictObject({
  suggestedWindow: z.strictObject({ start: timestampSchema, end: timestampSchema }),
});

/** Describes the answer of `POST /v1/keys/inspect`. */
export const keyInspectionSchema: z.ZodType<KeyInspection> = z.discriminatedUnion('isAcceptable', [
  z.strictObject({
    isAcceptable: z.literal(true),
    format: z.enum(['spki', 'pkcs1', 'certificate', 'jwk', 'ssh-rsa']),
    modulusBits: z.int(),
    fingerprint: z.string(),
    registeredForClientId: z.optional(z.string()),
  }),
  z.strictObject({ isAcceptable: z.literal(false), reason: z.string(), advice: z.string() }),
]);
