import { z } from 'zod';
import { usualAlgorithm } from '../signing-algorithms.ts';
import { body, type Shape, time } from './parts.ts';

const headersMax = 100;
const bodyCharactersMax = 4_000_000;

function pasted(what: string, charactersMax: number, charactersMin = 0): z.ZodString {
  const error = `Write ${what} as text of at most ${grouped(charactersMax)} characters.`;
  return z.string({ error }).min(charactersMin, { error }).max(charactersMax, { error });
}

/** Groups the digits, as in 4,000,000. The first use of Intl would do it in 15 ms and 7 MB, at every start. */
function grouped(value: number): string {
  return String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

const evidence = z
  .strictObject({
    expected: z.string().describe('What the service expects.'),
    received: z.string().describe('What the caller used.'),
    firstDifference: z.int().describe('The position of the first difference, in UTF-16 code units.'),
  })
  .describe('Two texts that should be identical. For a logged request, without its query values.');

export const explanationSchemas = {
  RequestExplanation: z
    .strictObject({
      verdict: z
        .enum(['valid', 'refused'])
        .describe('Whether the signature is valid. A rejected request stays rejected.'),
      checks: z
        .array(
          z.strictObject({
            name: z.string().describe('What was checked.'),
            state: z.enum(['passed', 'failed', 'not-reached']).describe('The result.'),
            facts: z
              .record(z.string(), z.union([z.string(), z.number()]))
              .describe('The values that decided it.'),
          }),
        )
        .describe("The profile's checks, in order."),
      base: z
        .optional(z.string())
        .describe(
          'The signature base of the request with every mistake fixed. Left out if the request does not tell it, and for a logged request.',
        ),
      wanted: z
        .optional(
          z.strictObject({
            profile: z.string().describe("The client's profile."),
            signatureInput: z
              .optional(z.string())
              .describe(
                'The `Signature-Input` of this request with every mistake fixed, if the request tells it.',
              ),
            acceptSignature: z.optional(z.string()).describe('The `Accept-Signature` that asks for it.'),
          }),
        )
        .describe('What the client should send, if its profile is not one of the closed ones.'),
      findings: z
        .array(
          z.strictObject({
            code: z.string().describe("The mistake's code. Codes may be added, but are never renamed."),
            alsoCodes: z
              .optional(z.array(z.string()))
              .describe('Other mistakes with the same cause, which this finding tells too.'),
            certainty: z
              .enum(['proven', 'observed', 'likely'])
              .describe(
                '`proven` by a hash in the request, `observed` in the request itself, or `likely`: there may be another cause.',
              ),
            what: z.string().describe('What is wrong.'),
            mend: z.string().describe('What to do.'),
            evidence: z.optional(evidence),
            page: z.string().describe('The documentation page about it.'),
          }),
        )
        .describe('The mistakes; none if the request is correct.'),
      isComplete: z.boolean().describe('False if the search ended before everything was tried.'),
      withheldFindings: z
        .int()
        .describe('How many findings are left out because they are about keys that the reader cannot see.'),
    })
    .describe('Why a request was rejected, as far as is known.'),

  ExplanationRequest: body(
    {
      method: pasted('the method', 40, 1).describe('The method.'),
      targetUri: pasted('the whole URL', 10_000, 1).describe('The full URL as called.'),
      headers: z
        .array(
          z.strictObject(
            {
              name: pasted('the name of the header', 256, 1).describe("The header's name."),
              value: pasted('the value of the header', 16_384).describe('Its value.'),
            },
            { error: 'Write a header as an object with name and value.' },
          ),
          { error: 'Write the headers as a list of objects with name and value.' },
        )
        .max(headersMax, { error: `Give at most ${headersMax} headers.` })
        .describe('The header lines, in order.'),
      bodyText: z
        .optional(pasted('the body', bodyCharactersMax))
        .describe(
          'The body as text; empty for no body. Without `bodyText` and `bodyBase64`, the body is not checked.',
        ),
      bodyBase64: z
        .optional(
          pasted('the Base64 of the body', bodyCharactersMax).refine(isBase64, {
            error: 'Write the bytes of the body in Base64, with padding.',
          }),
        )
        .describe('The body in Base64, instead of `bodyText`.'),
      claimedBase: z
        .optional(pasted('the base', 20_000))
        .describe('The signature base that the caller claims to have built.'),
      receivedAt: z.optional(time).describe('When the request was sent. Default: now.'),
    },
    'The request to explain, as it was sent. It is not stored.',
    {
      method: 'GET',
      targetUri: 'https://api.example.com/v1/whoami',
      headers: [
        { name: 'Host', value: 'api.example.com' },
        { name: 'Date', value: 'Sat, 21 Nov 2026 12:00:00 GMT' },
        {
          name: 'Signature-Input',
          value: `sig=("@method" "@target-uri" "date");created=1795262400;keyid="client_01m7xp8vap0ece1swwccz1jnzr";alg="${usualAlgorithm}"`,
        },
        { name: 'Signature', value: 'sig=:uXAhjH13…:' },
      ],
      receivedAt: '2026-11-21T12:00:01Z',
    },
  ).refine(({ bodyText, bodyBase64 }) => bodyText === undefined || bodyBase64 === undefined, {
    error: 'Give the body as bodyText or as bodyBase64, not both.',
    path: ['bodyBase64'],
  }),
};

export type RequestExplanation = Shape<typeof explanationSchemas.RequestExplanation>;
export type ExplanationCheck = RequestExplanation['checks'][number];
export type ExplanationFinding = RequestExplanation['findings'][number];
export type FindingCertainty = ExplanationFinding['certainty'];
export type FindingEvidence = Shape<typeof evidence>;
export type ExplanationRequest = Shape<typeof explanationSchemas.ExplanationRequest>;
