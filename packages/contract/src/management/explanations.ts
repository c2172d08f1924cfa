import { z } from 'zod';
import { timeSchema } from '../pages.ts';

/** How sure a finding is: a hash proves it, it can be seen in the request, or it could be otherwise. */
export type FindingCertainty = 'proven' | 'observed' | 'likely';

/** Two texts that should be equal. */
export interface FindingEvidence {
  readonly expected: string;
  readonly received: string;
  /** Where they first differ, in UTF-16 code units. */
  readonly firstDifference: number;
}

/** One mistake that was found in a request. */
export interface ExplanationFinding {
  /** Stable, `url_scheme` for example; each has a place in the documents. */
  readonly code: string;
  readonly certainty: FindingCertainty;
  /** What is wrong, in one sentence. */
  readonly what: string;
  /** What to do, in one sentence. */
  readonly mend: string;
  readonly evidence?: FindingEvidence | undefined;
  /** The place in the documents that tells more. */
  readonly page: string;
}

/** What became of one check of the profile. */
export interface ExplanationCheck {
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'not-reached';
  readonly facts: Readonly<Record<string, string | number>>;
}

/** Why a request was refused, as far as it can be told. */
export interface RequestExplanation {
  readonly verdict: 'valid' | 'refused';
  /** In the order of the profile. */
  readonly checks: readonly ExplanationCheck[];
  /** The text that must be signed; never of a request of the log. */
  readonly base?: string | undefined;
  /** The mistakes; none for a request that is right. */
  readonly findings: readonly ExplanationFinding[];
  /** False when the search ended before everything was tried. */
  readonly isComplete: boolean;
  /** How many findings are left out because they tell of keys, and the reader may not see keys. */
  readonly withheldFindings: number;
}

/** One line of the header of a pasted request. */
export interface PastedHeader {
  readonly name: string;
  readonly value: string;
}

/** The body of `POST /v1/explanations`: a request as it was sent. */
export interface ExplanationRequest {
  readonly method: string;
  /** The whole URL as called. */
  readonly targetUri: string;
  /** Each line, in their order. */
  readonly headers: readonly PastedHeader[];
  /** The body as text; empty for no body. With neither of the two, nothing is said about the body. */
  readonly bodyText?: string | undefined;
  readonly bodyBase64?: string | undefined;
  /** The signature base that the caller says it built. */
  readonly claimedBase?: string | undefined;
  /** When the request was sent; now unless set. */
  readonly receivedAt?: string | undefined;
}

/** How much of a request can be pasted. */
const limits = {
  methodLengthMax: 40,
  targetUriLengthMax: 10_000,
  headersMax: 100,
  nameLengthMax: 256,
  valueLengthMax: 16_384,
  baseLengthMax: 20_000,
  bodyLengthMax: 4_000_000,
};

/** Text of at most so many characters. */
function pasted(what: string, lengthMax: number, lengthMin = 0): z.ZodType<string, string> {
  const error = `Write ${what} as text of at most ${lengthMax.toLocaleString('en-US')} characters.`;
  return z.string({ error }).min(lengthMin, { error }).max(lengthMax, { error });
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** Checks the body of `POST /v1/explanations`. */
export const explanationRequestSchema: z.ZodType<ExplanationRequest> = z
  .strictObject(
    {
      method: pasted('the method', limits.methodLengthMax, 1),
      targetUri: pasted('the whole URL', limits.targetUriLengthMax, 1),
      headers: z
        .array(
          z.strictObject(
            {
              name: pasted('the name of the header', limits.nameLengthMax, 1),
              value: pasted('the value of the header', limits.valueLengthMax),
            },
            { error: 'Write a header as an object with name and value.' },
          ),
          { error: 'Write the headers as a list of objects with name and value.' },
        )
        .max(limits.headersMax, { error: `Give at most ${limits.headersMax} headers.` }),
      bodyText: z.optional(pasted('the body', limits.bodyLengthMax)),
      bodyBase64: z.optional(
        pasted('the Base64 of the body', limits.bodyLengthMax).refine(isBase64, {
          error: 'Write the bytes of the body in Base64, with padding.',
        }),
      ),
      claimedBase: z.optional(pasted('the base', limits.baseLengthMax)),
      receivedAt: z.optional(timeSchema),
    },
    { error: (issue) => (issue.code === 'invalid_type' ? 'Send one JSON object.' : undefined) },
  )
  .refine(({ bodyText, bodyBase64 }) => bodyText === undefined || bodyBase64 === undefined, {
    error: 'Give the body as bodyText or as bodyBase64, not both.',
    path: ['bodyBase64'],
  });

/** Describes an explanation in answers. */
export const requestExplanationSchema: z.ZodType<RequestExplanation> = z.strictObject({
  verdict: z.enum(['valid', 'refused']),
  checks: z.array(
    z.strictObject({
      name: z.string(),
      state: z.enum(['passed', 'failed', 'not-reached']),
      facts: z.record(z.string(), z.union([z.string(), z.number()])),
    }),
  ),
  base: z.optional(z.string()),
  findings: z.array(
    z.strictObject({
      code: z.string(),
      certainty: z.enum(['proven', 'observed', 'likely']),
      what: z.string(),
      mend: z.string(),
      evidence: z.optional(
        z.strictObject({ expected: z.string(), received: z.string(), firstDifference: z.int() }),
      ),
      page: z.string(),
    }),
  ),
  isComplete: z.boolean(),
  withheldFindings: z.int(),
});
