import { z } from 'zod';
import { keyTimes } from '../limits.ts';
import { keyAlgorithms, type KeyAlgorithmName, sshKeyTypes } from '../signing-algorithms.ts';
import {
  body,
  clientId,
  fingerprint,
  keyAlgorithm,
  page,
  publicKey,
  type Shape,
  time,
  timestamp,
} from './parts.ts';

export const keyRotations = ['not_due', 'due', 'overdue'] as const;
export const revocationReasons = ['compromised', 'superseded', 'unspecified'] as const;

const modulusBits = z
  .int()
  .describe(
    'The size of the key in bits: the length of the modulus of an RSA key, that of the curve of any other.',
  );
const exampleKey = 'MIIBIjANBgkqhkiG9w0BAQEF…IDAQAB';
const exampleEnd = '2026-12-31T12:00:00Z';

export const key = z
  .strictObject({
    keyId: z
      .string()
      .regex(/^key_[0-9a-z]{26}$/)
      .describe('The key ID. Not part of a signature, whose `keyid` is the client ID.'),
    clientId,
    fingerprint,
    algorithm: z
      .optional(z.enum(Object.keys(keyAlgorithms) as KeyAlgorithmName[]))
      .describe(
        "The only algorithm that the key is used with, as it is named in a signature's `alg`; `PS256` has no name there.",
      ),
    modulusBits,
    publicKeyPem: z
      .optional(z.string())
      .describe('The public key as PEM; only in responses about keys, not about clients.'),
    publishedId: z
      .optional(z.string())
      .describe('The URL that the client’s actor gives it, which signatures can name as `keyid`.'),
    status: z
      .enum(['pending', 'active', 'retiring', 'expired', 'revoked'])
      .describe(
        '`pending`: has not signed a valid request yet. `retiring`: works until `endsAt`. `expired` and `revoked` are final.',
      ),
    createdAt: timestamp.describe('When it was registered.'),
    startsAt: z.optional(timestamp).describe('When it becomes valid.'),
    endsAt: z.optional(timestamp).describe('When it expires.'),
    firstUsedAt: z.optional(timestamp).describe('When it signed its first valid request.'),
    lastUsedAt: z
      .optional(timestamp)
      .describe('When it signed its last accepted request; updated with a delay of some seconds.'),
    revokedAt: z.optional(timestamp).describe('Only if revoked.'),
    revocationReason: z.optional(z.enum(revocationReasons)).describe('Only if revoked.'),
    replacesKeyId: z
      .optional(z.string())
      .describe('The key that is retired once this one has signed its first valid request.'),
    overlapSeconds: z.optional(z.int()).describe('How long the replaced key still works from then on.'),
    ageDays: z.int().describe('Days since it was registered, rounded down.'),
    rotation: z
      .optional(z.enum(keyRotations))
      .describe('Whether it is due for rotation; only while it is valid.'),
    rotationDueAt: z.optional(timestamp).describe('When rotation is due; only while it is valid.'),
  })
  .describe("A client's public key.");

export const keySchemas = {
  Key: key,
  KeyPage: page(key, 'A page of keys.', 'The keys, oldest first, including expired and revoked ones.'),
  KeyRequest: body(
    {
      publicKey,
      algorithm: z.optional(keyAlgorithm),
      overlapSeconds: z
        .optional(overlap(`Write the overlap as whole seconds from 0 to ${keyTimes.overlapSecondsMax}.`))
        .describe(
          'How long the previous key still works after the first valid request with this one. Default: 72 hours.',
        ),
      startsAt: z.optional(time).describe('When the key becomes valid. Default: now.'),
      endsAt: z.optional(time).describe('When the key expires. Default: never.'),
    },
    'The public key to add.',
    { publicKey: exampleKey, overlapSeconds: 86_400 },
  ),
  KeyRetirement: body(
    { endsAt: z.optional(time).describe('When the key expires. Default: in 72 hours.') },
    'When a key expires.',
    { endsAt: exampleEnd },
  ),
  KeyExtension: body(
    { endsAt: time.describe('The new, later expiry.') },
    'The new expiry of a retiring key.',
    {
      endsAt: exampleEnd,
    },
  ),
  KeyRevocation: body(
    {
      reason: z
        .enum(revocationReasons, { error: `Write the reason: ${revocationReasons.join(', ')}.` })
        .describe('The reason, as recorded in the audit event.'),
    },
    'Why a key is revoked.',
    { reason: 'compromised' },
  ),
  KeyRenewalInfo: z
    .strictObject({
      suggestedWindow: z
        .strictObject({
          start: timestamp.describe('Start of the window.'),
          end: timestamp.describe('End of the window.'),
        })
        .describe('A window in the past means now.'),
    })
    .describe('When to rotate a key (RFC 9773 section 4.2): pick a random time in the window.'),
  KeyInspectionRequest: body(
    {
      publicKey: publicKey.describe(
        'Any text, even a private key: it is not stored, and no part of it is returned.',
      ),
    },
    'Text that may be a public key.',
    { publicKey: exampleKey },
  ),
  KeyInspection: z
    .discriminatedUnion('isAcceptable', [
      z.strictObject({
        isAcceptable: z.literal(true).describe('Whether it could be registered for a client.'),
        format: z.enum(['spki', 'pkcs1', 'certificate', 'jwk', ...sshKeyTypes]).describe('The format.'),
        modulusBits,
        fingerprint,
        algorithms: z
          .array(z.enum(Object.keys(keyAlgorithms) as KeyAlgorithmName[]))
          .describe(
            'The algorithms that it could be registered for, by its kind and what it says itself. The profile of its client decides which of them.',
          ),
        registeredForClientId: z
          .optional(z.string())
          .describe("The account's client that has this key, revoked or not."),
      }),
      z.strictObject({
        isAcceptable: z.literal(false).describe('Whether it could be registered for a client.'),
        reason: z
          .string()
          .describe('Why it cannot be registered, as a code: `private_key`, `modulus_too_small` and so on.'),
        advice: z.string().describe('How to fix it.'),
      }),
    ])
    .describe('What was found in the text.'),
};

function overlap(error: string): z.ZodNumber {
  return z.int({ error }).min(0, { error }).max(keyTimes.overlapSecondsMax, { error });
}

export type Key = Shape<typeof key>;
export type KeyStatus = Key['status'];
export type KeyRotation = (typeof keyRotations)[number];
export type RevocationReason = (typeof revocationReasons)[number];
export type KeyRequest = Shape<typeof keySchemas.KeyRequest>;
export type KeyRenewalInfo = Shape<typeof keySchemas.KeyRenewalInfo>;
export type KeyInspection = Shape<typeof keySchemas.KeyInspection>;
