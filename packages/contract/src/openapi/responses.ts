import type { Operation } from '../operations.ts';
import { type ProblemCode, problemCodesMetBy, problems } from '../problems.ts';
import type { OpenApiContent, OpenApiHeader, OpenApiResponse, Reference } from './document.ts';
import { problemCodesOf } from './operation-problems.ts';
import { queries } from '../schemas.ts';
import { schemaReference } from './schemas.ts';

/** An operation's responses by status: success, and each rejection with its possible codes. */
export function responsesOf(operation: Operation): Record<string, OpenApiResponse | Reference> {
  const refusals: Record<string, OpenApiResponse | Reference> = {};
  for (const [status, codes] of byStatus(problemCodesOf(operation))) {
    const name = sharedNames.get(codes.join());
    refusals[status] =
      name === undefined ? refusal(status, codes) : { $ref: `#/components/responses/${name}` };
  }
  return {
    [String(operation.status ?? 200)]: success(operation),
    ...(operation.mayWait && { 202: waiting(operation) }),
    ...refusals,
  };
}

/** The rejections that all operations have in common, by component name. */
export function sharedResponses(): Record<string, OpenApiResponse> {
  return Object.fromEntries(shared.map(({ name, status, codes }) => [name, refusal(status, codes)]));
}

/** Applies to every request with a session, before its account is known. */
const signedOut: readonly ProblemCode[] = ['session_required'];
const ofSignatures = byStatus(problemCodesMetBy('every request')).map(([status, codes]) => ({
  name: `Refused${status}`,
  status,
  codes,
}));
const shared = [
  ...ofSignatures,
  // Operations that people may also call.
  ...ofSignatures
    .map(({ name, status, codes }) => ({
      name: `${name}OrSignedOut`,
      status,
      codes: [...codes, ...signedOut.filter((code) => problems[code].status === status)],
    }))
    .filter(({ codes }) => codes.some((code) => signedOut.includes(code))),
];
const sharedNames = new Map(shared.map(({ name, codes }) => [codes.join(), name]));

/** The header fields of responses. */
export const responseHeaders: Readonly<Record<string, OpenApiHeader>> = {
  'Request-Id': text("The request's ID, as in the service's logs."),
  ETag: text('The state of the returned resource, for `If-Match`.'),
  Location: text('The path of the created resource.'),
  RateLimit: text('How many requests are left, and when the full limit is available again.'),
  'RateLimit-Policy': text(
    'How many requests the client can make per minute (`client`), and in a burst (`burst`).',
  ),
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer' } },
  'WWW-Authenticate': text('`Signature`, or `Session` for a person, with the error code.'),
  'Accept-Signature': text('What a signature must cover (RFC 9421 section 5.1).'),
  'Client-Key-Retire-At': text(
    'When the key that signed the request expires, as an HTTP date; only if it does.',
  ),
  'Idempotency-Replayed': text('`true` if this is the stored response to the first request.'),
  'Next-Cursor': text('The cursor of the next page; only in formats other than JSON.'),
};

function success({
  query,
  status,
  answer,
  isStream,
  headers = [],
  takesIdempotencyKey,
}: Operation): OpenApiResponse {
  const isExport = query !== undefined && 'format' in queries[query];
  const schema = schemaReference(answer);
  const lines = { schema: { type: 'string' } };
  const content: OpenApiContent = {
    [isStream ? 'text/event-stream' : 'application/json']: { schema },
    ...(isExport && { 'application/x-ndjson': lines, 'text/csv': lines }),
  };
  const names = [
    'Request-Id',
    ...headers,
    ...(takesIdempotencyKey ? ['Idempotency-Replayed'] : []),
    ...(isExport ? ['Next-Cursor'] : []),
    'Client-Key-Retire-At',
    'RateLimit',
    'RateLimit-Policy',
  ];
  return {
    description: status === 201 ? 'Created.' : 'Success.',
    headers: headersOf(names),
    content,
  };
}

/** Describes the response to a person whose change waits for a second person. */
function waiting({ takesIdempotencyKey }: Operation): OpenApiResponse {
  const names = [
    'Request-Id',
    'Location',
    ...(takesIdempotencyKey ? ['Idempotency-Replayed'] : []),
    'RateLimit',
    'RateLimit-Policy',
  ];
  return {
    description: 'Waits for a second person; nothing has been changed yet. Only for people.',
    headers: headersOf(names),
    content: { 'application/json': { schema: schemaReference('PendingChange') } },
  };
}

function byStatus(codes: readonly ProblemCode[]): [number, ProblemCode[]][] {
  return [...Map.groupBy(codes, (code) => problems[code].status)].toSorted(([one], [other]) => one - other);
}

function refusal(status: number, codes: readonly ProblemCode[]): OpenApiResponse {
  const names = [
    'Request-Id',
    ...(status === 401 ? ['WWW-Authenticate', 'Accept-Signature'] : []),
    ...(status === 429 || status === 503 || codes.some((code) => problems[code].headers)
      ? ['Retry-After']
      : []),
    ...(status === 412 ? ['ETag'] : []),
    // Once the caller is known, every response has the facts that it needs for its next requests.
    ...(beforeTheCaller.has(status) ? [] : ['Client-Key-Retire-At', 'RateLimit', 'RateLimit-Policy']),
  ];
  return {
    description: codes.map((code) => `\`${code}\`: ${problems[code].title}.`).join('\n\n'),
    headers: headersOf(names),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [schemaReference('Problem'), { properties: { code: { enum: codes } } }],
        },
      },
    },
  };
}

/** Statuses that only occur while the caller is unknown. */
const beforeTheCaller: ReadonlySet<number> = new Set([408, 414, 431]);

function headersOf(names: readonly string[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function text(description: string): OpenApiHeader {
  return { description, schema: { type: 'string' } };
}
