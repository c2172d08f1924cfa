import { refusalCodes, type RefusalCode } from './refusal-codes.ts';
import { type Explanation, type Finding, RefusedError } from './refused-error.ts';

/** A longer problem document is not the service's. */
export const problemBytesMax = 262_144;

/** The parts of a response's head that identify a rejection. */
export interface ResponseHead {
  readonly status: number;
  readonly contentType: string | null | undefined;
  readonly retryAfter?: string | null | undefined;
}

/** Returns true if a response may be a rejection, so that its body is worth reading. */
export function mayBeRefusal({ status, contentType }: ResponseHead): boolean {
  return status >= 400 && /^\s*application\/problem\+json\s*(;|$)/i.test(contentType ?? '');
}

/**
 * Reads a response's body. Returns undefined if it is not a rejection but the API's own response.
 *
 * @param problemTypeBase the page of the error codes, if it is not `/docs/errors` of the service's own URL
 */
export function readRefusal(
  head: ResponseHead,
  body: string | Uint8Array,
  problemTypeBase?: string,
): RefusedError | undefined {
  if (!mayBeRefusal(head) || body.length > problemBytesMax) return undefined;
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  return refusalFromValue(head, parsed(text), problemTypeBase);
}

/** Does the same for a client that has already parsed the body. */
export function refusalFromValue(
  head: ResponseHead,
  problem: unknown,
  problemTypeBase?: string,
): RefusedError | undefined {
  if (!isObject(problem) || !isRefusalCode(problem['code'])) return undefined;
  if (!isTypeOfService(problem['type'], problem['code'], problemTypeBase)) return undefined;
  const text = (name: string): string | undefined => textOf(problem[name]);
  return new RefusedError({
    status: head.status,
    code: problem['code'],
    title: text('title') ?? 'The request was refused',
    detail: text('detail') ?? '',
    type: text('type'),
    reason: text('reason'),
    requestId: text('requestId'),
    serverTime: text('serverTime'),
    explanation: explanationOf(problem['explanation']),
    retryAfterSeconds: /^\d{1,9}$/.test(head.retryAfter ?? '') ? Number(head.retryAfter) : undefined,
  });
}

const codes: ReadonlySet<unknown> = new Set(refusalCodes);

function isRefusalCode(code: unknown): code is RefusalCode {
  return codes.has(code);
}

/** An API may have problems whose codes are the same words. */
function isTypeOfService(type: unknown, code: RefusalCode, base: string | undefined): boolean {
  if (typeof type !== 'string') return false;
  return base === undefined ? type.endsWith(`/docs/errors#${code}`) : type === `${base}#${code}`;
}

/**
 * Returns true if a rejection becomes an error. Those with 429 and 503 stay responses, so that the retries of
 * HTTP clients, or the caller's own handling, apply.
 */
export function isThrown({ status }: RefusedError, throwsRefusals: boolean): boolean {
  return throwsRefusals && status !== 429 && status !== 503;
}

/** Rejections after which the API may have carried out the request. */
const provingNothing: ReadonlySet<RefusalCode> = new Set([
  'signature_replayed',
  'upstream_failed',
  'upstream_timeout',
  'outcome_unknown',
  'internal_error',
]);

/** Returns true if the API has certainly not carried out the rejected request. */
export function provesNotExecuted({ code }: RefusedError): boolean {
  return !provingNothing.has(code);
}

function explanationOf(value: unknown): Explanation | undefined {
  if (!isObject(value) || !Array.isArray(value['findings'])) return undefined;
  const findings = value['findings'].flatMap((finding: unknown): Finding[] => {
    if (!isObject(finding)) return [];
    const [code, certainty, what, mend] = ['code', 'certainty', 'what', 'mend'].map((name) =>
      textOf(finding[name]),
    );
    if (code === undefined || what === undefined || mend === undefined) return [];
    return [{ code, certainty: certainty ?? 'likely', what, mend }];
  });
  return { base: textOf(value['base']), findings, isComplete: value['isComplete'] === true };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
