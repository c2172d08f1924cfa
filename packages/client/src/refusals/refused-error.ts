import type { RefusalCode } from './refusal-codes.ts';

/** One mistake that the service found in a rejected request. */
export interface Finding {
  /** The kind of mistake; docs/troubleshooting.md explains each. */
  readonly code: string;
  readonly certainty: string;
  /** What is wrong, in one sentence. */
  readonly what: string;
  /** What to do, in one sentence. */
  readonly mend: string;
}

/** Why the service rejected a request. Only clients of the sandbox that allow it get one. */
export interface Explanation {
  /** The text that should have been signed. */
  readonly base?: string | undefined;
  readonly findings: readonly Finding[];
  /** False if the search ended before everything was tried. */
  readonly isComplete: boolean;
}

/** A request that the service rejected. */
export class RefusedError extends Error {
  readonly status: number;
  /** Match on this: texts may change. */
  readonly code: RefusalCode;
  readonly title: string;
  /** What to do, in one sentence. */
  readonly detail: string;
  /** The address of the code's documentation. */
  readonly type: string | undefined;
  /** What is wrong with this request. */
  readonly reason: string | undefined;
  /** The request's ID, to quote to the operator. */
  readonly requestId: string | undefined;
  /** The service's time, in rejections about the time. */
  readonly serverTime: string | undefined;
  readonly explanation: Explanation | undefined;
  /** How long to wait, in seconds, if the service says so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(refusal: Members, options?: ErrorOptions) {
    super(messageOf(refusal), options);
    this.name = 'RefusedError';
    this.status = refusal.status;
    this.code = refusal.code;
    this.title = refusal.title;
    this.detail = refusal.detail;
    this.type = refusal.type;
    this.reason = refusal.reason;
    this.requestId = refusal.requestId;
    this.serverTime = refusal.serverTime;
    this.explanation = refusal.explanation;
    this.retryAfterSeconds = refusal.retryAfterSeconds;
  }
}

type Members = Omit<RefusedError, keyof Error>;

function messageOf({ code, title, detail, reason, explanation, requestId }: Members): string {
  const [finding] = explanation?.findings ?? [];
  const cause = finding ? `${finding.what} ${finding.mend}` : `${sentence(reason)}${detail}`;
  // A proxy between the signer and the service may have sent the same bytes twice.
  const advice = code === 'signature_replayed' ? ` ${lookUpFirst}` : '';
  return `${code}: ${sentence(title)}${cause}${advice}${requestId === undefined ? '' : ` (${requestId})`}`;
}

const lookUpFirst =
  'The first request with it may have been accepted: look up its outcome before sending it again.';

function sentence(text: string | undefined): string {
  if (text === undefined || text === '') return '';
  return /[.!?]$/.test(text) ? `${text} ` : `${text}. `;
}
