import { z } from 'zod';
import { accountId, clientId, name, type Shape, signingFingerprint, timestamp } from './parts.ts';
import { knownPermission } from './roles.ts';

const clockDifferenceSeconds = z
  .number()
  .describe(
    "`created` of the signature minus the clock of the service: negative when the caller's clock is behind.",
  );
const serverTime = timestamp.describe('The clock of the service.');

export const callerSchemas = {
  Whoami: z
    .strictObject({
      clientId,
      accountId,
      name,
      keyFingerprint: signingFingerprint,
      roles: z.array(z.string()).describe('Names of roles.'),
      permissions: z.array(knownPermission).describe('What the roles permit, sorted.'),
      sourceAddress: z.string().describe('The address that the network whitelist was asked about.'),
      clockDifferenceSeconds,
      serverTime,
    })
    .describe('Who the caller is, and how the service sees the request.'),

  SignatureTest: z
    .strictObject({
      clientId,
      keyFingerprint: signingFingerprint,
      method: z.string().describe('The method that was signed.'),
      targetUri: z.string().describe('The URL as the service sees it.'),
      components: z.array(z.string()).describe('What the signature covers, in its order.'),
      created: z.int().describe('When the request was signed, in Unix seconds.'),
      clockDifferenceSeconds,
      contentDigest: z.optional(z.string()).describe('The field that covers the body; only with a body.'),
      base: z.string().describe('The text that was signed.'),
      serverTime,
    })
    .describe('What was verified of a request. Nothing was done.'),

  SignatureTestBody: z.unknown().meta({
    description: 'Anything at all: it is verified, and then not looked at.',
    examples: [{ anything: true }],
  }),

  Source: z
    .strictObject({
      sourceAddress: z
        .optional(z.string())
        .describe('The address in its canonical text; not when a proxy does not tell it.'),
    })
    .describe('Where the request comes from.'),
};

export type Whoami = Shape<typeof callerSchemas.Whoami>;
export type SignatureTest = Shape<typeof callerSchemas.SignatureTest>;
export type Source = Shape<typeof callerSchemas.Source>;
