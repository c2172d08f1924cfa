import { z } from 'zod';
import { keyTimes } from '../limits.ts';
import { body, clientId, fingerprint, page, publicKey, type Shape, time, timestamp } from './parts.ts';

export const keyRotations = ['not_due', 'due', 'overdue'] as const;
export const revocationReasons = ['compromised', 'superseded', 'unspecified'] as const;

const modulusBits = z.int().describe('How long its modulus is.');
const exampleKey = 'MIIBIjANBgkqhkiG9w0BAQEF…IDAQAB';
const exampleEnd = '2026-12-31T12:00:00Z';

export const key = z
  .strictObject({
    keyId: z
      .string()
      .regex(/^key_[0-9a-z]{26}$/)
      .describe('The id of the key. Signatures do not name it: their `keyid` is the clientId.'),
    clientId,
    fingerprint,
    modulusBits,
    publicKeyPem: z
      .optional(z.string())
      .describe('The key itself in PEM; only in answers about keys, not within those about clients.'),
    status: z
      .enum(['pending', 'active', 'retiring', 'expired', 'revoked'])
      .describe(
        '`pending` has signed no valid request yet, `retiring` verifies until `endsAt`; `expired` and `revoked` are final.',
      ),
    createdAt: timestamp.describe('When it was registered.'),
    startsAt: z.optional(timestamp).describe('It does not verify before.'),
    endsAt: z.optional(timestamp).describe('It does not verify from then on.'),
    firstUsedAt: z.optional(timestamp).describe('When it signed its first valid request.'),
    lastUsedAt: z
      .optional(timestamp)
      .describe('When it signed its last accepted request; some seconds late.'),
    revokedAt: z.optional(timestamp).describe('Only when revoked.'),
    revocationReason: z.optional(z.enum(revocationReasons)).describe('Only when revoked.'),
    replacesKeyId: z
      .optional(z.string())
      .describe('The key that begins to end when this one has signed its first valid request.'),
    overlapSeconds: z.optional(z.int()).describe('How long the replaced key verifies from then on.'),
    ageDays: z.int().describe('Whole days since it was registered.'),
    rotation: z
      .optional(z.enum(keyRotations))
      .describe('Whether it is time to change it; only while it can verify.'),
    rotationDueAt: z
      .optional(timestamp)
      .describe('When it should have been changed; only while it can verify.'),
  })
  .describe('A public key of a client.');

export const keySchemas = {
  Key: key,
  KeyPage: page(key, 'A page of keys.', 'The keys, oldest first, with those that have ended.'),
  KeyRequest: body(
    {
      publicKey,
      overlapSeconds: z
        .optional(overlap(`Write the overlap as whole seconds from 0 to ${keyTimes.overlapSecondsMax}.`))
        .describe(
          'How long the key before it verifies after this one has signed its first valid request; 72 hours unless set.',
        ),
      startsAt: z.optional(time).describe('It does not verify before; from now unless set.'),
      endsAt: z.optional(time).describe('It does not verify from then on; no end unless set.'),
    },
    'The public key to add.',
    { publicKey: exampleKey, overlapSeconds: 86_400 },
  ),
  KeyRetirement: body(
    { endsAt: z.optional(time).describe('It does not verify from then on; in 72 hours unless set.') },
    'When a key expires.',
    { endsAt: exampleEnd },
  ),
  KeyExtension: body({ endsAt: time.describe('The later end.') }, 'More time for a key that ends.', {
    endsAt: exampleEnd,
  }),
  KeyRevocation: body(
    {
      reason: z
        .enum(revocationReasons, { error: `Write the reason: ${revocationReasons.join(', ')}.` })
        .describe('Why; recorded in the audit event.'),
    },
    'Why a key is revoked.',
    { reason: 'compromised' },
  ),
  KeyRenewalInfo: z
    .strictObject({
      suggestedWindow: z
        .strictObject({
          start: timestamp.describe('Where the window begins.'),
          end: timestamp.describe('Where the window ends.'),
        })
        .describe('A window in the past means: now.'),
    })
    .describe(
      'When to change a key (RFC 9773 section 4.2): pick a random time in the window, and change it then.',
    ),
  KeyInspectionRequest: body(
    {
      publicKey: publicKey.describe(
        'Any text, a private key too: it is not kept, and nothing of it is repeated.',
      ),
    },
    'A text that may be a public key.',
    { publicKey: exampleKey },
  ),
  KeyInspection: z
    .discriminatedUnion('isAcceptable', [
      z.strictObject({
        isAcceptable: z.literal(true).describe('Whether it could be registered as a key of a client.'),
        format: z.enum(['spki', 'pkcs1', 'certificate', 'jwk', 'ssh-rsa']).describe('How it was written.'),
        modulusBits,
        fingerprint,
        registeredForClientId: z
          .optional(z.string())
          .describe('The client of the account that has the key, revoked or not.'),
      }),
      z.strictObject({
        isAcceptable: z.literal(false).describe('Whether it could be registered as a key of a client.'),
        reason: z
          .string()
          .describe(
            'Why it cannot be registered, for programs: `private_key`, `modulus_too_small` and so on.',
          ),
        advice: z.string().describe('What to do about it.'),
      }),
    ])
    .describe('What a text is as a public key.'),
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
