import { refusalCodes, type RefusalCode } from './refusal-codes.ts';
import { type Explanation, type Finding, RefusedError } from './refused-error.ts';

/** A longer problem document is not the service's. */
export const problemBytesMax = 262_144;

/** The head of a response, as far as a refusal is recognized by it. */
export interface ResponseHead {
  readonly status: number;
  readonly contentType: string | null | undefined;
  readonly retryAfter?: string | null | undefined;
}

/** Returns true if a response may be a refusal, so that its body is worth reading. */
export function mayBeRefusal({ status, contentType }: ResponseHead): boolean {
  return status >= 400 && /^\s*application\/problem\+json\s*(;|$)/i.test(contentType ?? '');
}

/** Reads a response's body. Returns undefined if it is not a refusal but the API's own answer. */
export function readRefusal(head: ResponseHead, body: string | Uint8Array): RefusedError | undefined {
  if (!mayBeRefusal(head) || body.length > problemBytesMax) return undefined;
  return refusalFromValue(head, parsed(typeof body === 'string' ? body : new TextDecoder().decode(body)));
}

/** The same for a client that has parsed the body. */
export function refusalFromValue(head: ResponseHead, problem: unknown): RefusedError | undefined {
  if (!isObject(problem) || !isRefusalCode(problem['code'])) return undefined;
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
