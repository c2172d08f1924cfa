import { z } from 'zod';

/** The text of a public key in requests; what is in it is the service's to check. */
export const publicKeySchema: z.ZodType<string, string> = z
  .string({ error: 'Write the public key as text: PEM, bare Base64, certificate, JWK or ssh-rsa line.' })
  .max(20_000, { error: 'Send one public key and nothing else: this text is too long for one.' });
