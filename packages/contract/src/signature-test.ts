import { z } from 'zod';
import { timestampSchema } from './pages.ts';

/** The answer of `/v1/signature-test`: what was verified, and nothing was done. */
export interface SignatureTest {
  readonly clientId: string;
  /** The fingerprint of the key that signed this request, `SHA256:...`. */
  readonly keyFingerprint: string;
  readonly method: string;
  /** The URL as the service sees it. */
  readonly targetUri: string;
  /** What the signature covers, in its order. */
  readonly components: readonly string[];
  /** Unix seconds. */
  readonly created: number;
  /** `created` minus the clock of the service: negative when the caller's clock is behind. */
  readonly clockDifferenceSeconds: number;
  /** The field that covers the body; only with a body. */
  readonly contentDigest?: string | undefined;
  /** The text that was signed. */
  readonly base: string;
  /** The clock of the service, RFC 3339 in UTC. */
  readonly serverTime: string;
}

/** Describes the answer of `/v1/signature-test`. */
export const signatureTestSchema: z.ZodType<SignatureTest> = z.strictObject({
  clientId: z.string(),
  keyFingerprint: z.string().regex(/^SHA256:[0-9A-Za-z+/]{43}$/),
  method: z.string(),
  targetUri: z.string(),
  components: z.array(z.string()),
  created: z.int(),
  clockDifferenceSeconds: z.number(),
  contentDigest: z.optional(z.string()),
  base: z.string(),
  serverTime: timestampSchema,
});

/** The body of `/v1/signature-test`: anything at all. */
export const signatureTestBodySchema: z.ZodType = z.unknown();
