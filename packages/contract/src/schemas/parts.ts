import { z } from 'zod';
import { clientIdPattern, isClientId } from '../ids.ts';
import { nameCharactersMax } from '../limits.ts';
import { isReadableName, plainPatterns } from '../readable-text.ts';
import {
  alternatives,
  keyAlgorithms,
  keyTitles,
  publicKeyForms,
  rsaAlgorithms,
} from '../signing-algorithms.ts';

/** The type that a schema describes, read-only throughout. */
export type Shape<Schema extends z.ZodType> = Frozen<z.output<Schema>>;

type Frozen<Value> = Value extends readonly (infer Element)[]
  ? readonly Frozen<Element>[]
  : Value extends object
    ? { readonly [Member in keyof Value]: Frozen<Value[Member]> }
    : Value;

/** Describes the body of a request. Its example appears in the OpenAPI document. */
export function body<Members extends z.core.$ZodLooseShape>(
  members: Members,
  description: string,
  example: object,
): z.ZodObject<Members, z.core.$strict> {
  return z
    .strictObject(members, {
      error: ({ code }) => (code === 'invalid_type' ? 'Send one JSON object.' : undefined),
    })
    .meta({ description, examples: [example] });
}

/** One page of a list. */
export interface Page<Element> {
  readonly data: readonly Element[];
  /** The query parameter `cursor` of the next page; null on the last page. */
  readonly nextCursor: string | null;
}

export function page<Element extends z.ZodType>(
  element: Element,
  description: string,
  elements: string,
): z.ZodType<Page<Shape<Element>>> {
  return z.strictObject(pageMembers(element, elements)).describe(description) as z.ZodType<
    Page<Shape<Element>>
  >;
}

function pageMembers(element: z.ZodType, elements: string): Record<keyof Page<unknown>, z.ZodType> {
  return {
    data: z.array(element).describe(elements),
    nextCursor: z.nullable(z.string()).describe('The `cursor` of the next page; null on the last page.'),
  };
}

/** One page of a list that reports the total number of elements. */
export interface CountedPage<Element> extends Page<Element> {
  /** Only on the first page. */
  readonly total?: number | undefined;
}

/** @param total describes what is counted, and when */
export function countedPage<Element extends z.ZodType>(
  element: Element,
  description: string,
  elements: string,
  total: string,
): z.ZodType<CountedPage<Shape<Element>>> {
  return z
    .strictObject({ ...pageMembers(element, elements), total: z.optional(z.int()).describe(total) })
    .describe(description) as z.ZodType<CountedPage<Shape<Element>>>;
}

/** A time in responses. */
export const timestamp: z.ZodType<string> = z.iso.datetime();

/** A time in requests. */
export const time: z.ZodType<string, string> = z.iso.datetime({
  error: 'Write a time as RFC 3339 in UTC, such as 2026-11-21T12:00:00Z.',
});

export const createdAt: z.ZodType<string> = timestamp.describe('When it was created.');
export const updatedAt: z.ZodType<string> = timestamp.describe('When it was last changed.');
export const clientId: z.ZodType<string> = z
  .string()
  .describe('The client ID: the `keyid` of its signatures.');
export const accountId: z.ZodType<string> = z.string().describe('The account it belongs to.');

const whatIsFingerprint =
  "`SHA256:` and the Base64-encoded SHA-256 of the key's DER-encoded SubjectPublicKeyInfo.";
const fingerprintPattern = /^SHA256:[0-9A-Za-z+/]{43}$/;
export const fingerprint: z.ZodType<string> = z
  .string()
  .regex(fingerprintPattern)
  .describe(whatIsFingerprint);
export const signingFingerprint: z.ZodType<string> = z
  .string()
  .regex(fingerprintPattern)
  .describe(`The key that signed this request: ${whatIsFingerprint}`);

const nameText = 'The name people see: 1 to 100 visible characters.';
const nameAdvice =
  'Use 1 to 100 characters, without control characters and with no space at the start or end.';

/** A display name in requests. */
export const nameInput: z.ZodType<string, string> = z
  .string({ error: nameAdvice })
  .refine(isReadableName, { error: nameAdvice })
  .meta({ minLength: 1, maxLength: nameCharactersMax, pattern: plainPatterns.name })
  .describe(nameText);

/** A display name in responses. */
export const name: z.ZodType<string> = z.string().describe(nameText);

/** A client ID that the operator chooses, for a client that moves here from another system. */
export const clientIdInput: z.ZodType<string, string> = z
  .string({ error: 'Write the clientId as text, or leave it out.' })
  .refine(isClientId, {
    error:
      'Write a clientId of 1 to 256 visible ASCII characters, without spaces, double quotes and backslashes.',
  })
  .meta({ minLength: 1, maxLength: 256, pattern: clientIdPattern.source });

const roleNameAdvice =
  'Write the name of a role with 1 to 64 lower-case letters, digits and single hyphens between them.';

export const roleNamePattern: RegExp = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The name of a role. */
export const roleName: z.ZodType<string, string> = z
  .string({ error: roleNameAdvice })
  .max(64, { error: roleNameAdvice })
  .regex(roleNamePattern, { error: roleNameAdvice });

/** A public key in any form that the service reads; the service checks the content. */
export const publicKey: z.ZodType<string, string> = z
  .string({ error: `Write the public key as text: ${publicKeyForms}.` })
  .max(20_000, { error: 'Send one public key and nothing else: this text is too long for one.' })
  .describe(`An ${keyTitles} public key as ${publicKeyForms}. Never a private key.`);

/** The algorithm that a key is registered for. */
export const keyAlgorithm: z.ZodType<string, string> = z
  .enum(Object.keys(keyAlgorithms), {
    error: `Write one of ${Object.keys(keyAlgorithms).join(', ')}, or leave it out.`,
  })
  .describe(
    `The only algorithm that the key is used with. Needed for an RSA key if the client's profile signs with several of ${alternatives(rsaAlgorithms)}, ` +
      'other than the first, and the key does not say it itself: by the `alg` of a JWK, or as a key for RSASSA-PSS alone. Keys of other kinds have one algorithm.',
  );

/** Limits the age of an account's keys in days. */
export const keyAgeDaysMax: z.ZodType<number | null> = z
  .nullable(limited(3650, 'Write whole days from 1 to 3650, or null for no limit.'))
  .describe("The maximum age of the account's keys in days; null if keys never expire by age.");

const requestsAdvice =
  'Write a whole number of requests from 1 to 10000000, or null for no limit of its own.';

/** The average number of requests per minute of one client. */
export const requestsPerMinuteMax: z.ZodType<number | null> = z.nullable(limited(10_000_000, requestsAdvice));

/** The number of requests of one client that may arrive at once. */
export const requestsBurstMax: z.ZodType<number | null> = z.nullable(limited(10_000_000, requestsAdvice));

/** A whole number from 1. */
export function limited(max: number, error: string): z.ZodNumber {
  return z.int({ error }).min(1, { error }).max(max, { error });
}
