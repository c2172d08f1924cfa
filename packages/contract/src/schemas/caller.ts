import { z } from 'zod';
import { accountId, clientId, name, type Shape, signingFingerprint, timestamp } from './parts.ts';
import { knownPermission } from './roles.ts';

const clockDifferenceSeconds = z
  .number()
  .describe("The signature's `created` minus the service's clock: negative if the caller's clock is behind.");
const serverTime = timestamp.describe("The service's clock.");

export const callerSchemas = {
  Whoami: z
    .strictObject({
      clientId,
      accountId,
      name,
      keyFingerprint: signingFingerprint,
      roles: z.array(z.string()).describe('Role names.'),
      permissions: z.array(knownPermission).describe('The permissions of these roles, sorted.'),
      sourceAddress: z.string().describe('The address that was checked against the network whitelist.'),
      clockDifferenceSeconds,
      serverTime,
    })
    .describe("The caller's identity, and the request as the service sees it."),

  SignatureTest: z
    .strictObject({
      clientId,
      keyFingerprint: signingFingerprint,
      method: z.string().describe('The method that was signed.'),
      targetUri: z.string().describe('The URL as the service sees it.'),
      components: z.array(z.string()).describe('The components that the signature covers, in its order.'),
      created: z.int().describe('When the request was signed, in Unix seconds.'),
      clockDifferenceSeconds,
      contentDigest: z
        .optional(z.string())
        .describe('The header field that covers the body; only with a body.'),
      base: z.string().describe('The signature base: the text that was signed.'),
      serverTime,
    })
    .describe('What was verified about a request. Nothing else was done.'),

  SignatureTestBody: z.unknown().meta({
    description: 'Anything: it is verified, and then ignored.',
    examples: [{ anything: true }],
  }),

  Source: z
    .strictObject({
      sourceAddress: z
        .optional(z.string())
        .describe('The address in canonical form; missing if a proxy does not forward it.'),
    })
    .describe("The caller's source address."),
};

export type Whoami = Shape<typeof callerSchemas.Whoami>;
export type SignatureTest = Shape<typeof callerSchemas.SignatureTest>;
export type Source = Shape<typeof callerSchemas.Source>;
