import type { ServerResponse } from 'node:http';
import { contentDigest as digestOf } from '@countersign/signature/node';
import type { RequestHead, WaitingClient } from '../door.ts';
import type { Answer, RelayedAnswer } from '../http/answer.ts';
import { valuesOf } from '../http/framing.ts';
import { ProblemError } from '../http/problem-error.ts';
import { sendBytes } from '../http/send-bytes.ts';
import type { ForwardingKey, ForwardingSigner } from './forwarded-signature.ts';
import { Relay } from './relay.ts';
import { responseSignatureFields, signResponse } from './response-signature.ts';
import type { ReturnedHead } from './returned-headers.ts';
import type { UpstreamFailure } from './upstream-error.ts';
import type { UpstreamAnswer } from './upstream-request.ts';
import { WholeBody, type WholeBodyOutcome } from './whole-body.ts';

/** How the responses to one request are signed. */
export interface AnswerSigning {
  readonly head: RequestHead;
  readonly signer: ForwardingSigner;
  /** The key that could sign before the request was sent, for when storage is lost while the API works. */
  readonly key: ForwardingKey;
  /** The largest body that is signed. */
  readonly bytesMax: number;
  /** The time limit for the body to be complete, from when its head arrived. */
  readonly bodySeconds: number;
}

/** Interim responses are not signed, so the client gets none, and nothing is signed after a switch of protocols. */
export function withoutUnsigned(client: WaitingClient): WaitingClient {
  return { onGone: (act) => client.onGone(act), hint: () => undefined, canSwitch: false };
}

/**
 * Waits for the whole body of an upstream's response, and signs the response.
 *
 * @throws ProblemError if that cannot be done: such a route never passes on an unsigned response
 */
export async function signedAnswer(answer: UpstreamAnswer, signing: AnswerSigning): Promise<Answer> {
  if (!(answer instanceof Relay)) {
    answer.abandon();
    throw unsigned('upstream_failed', 'it switches protocols');
  }
  const { head, signer } = signing;
  const { status, statusText, headers } = answer.head;
  const isBodiless = isWithoutBody(head.method, status);
  const { bytes, contentDigest } = await wholeBody(answer, signing, isBodiless);
  const key = signer.key() ?? signing.key;
  const signature = signResponse({ status, contentDigest, request: head }, key, signer.nowMs());
  const replaced = isBodiless ? responseSignatureFields : fieldsOfBody;
  const kept = headers.filter((_, index) => !replaced.has(headers[index & ~1]!.toLowerCase()));
  const length = isBodiless ? [] : ['Content-Length', String(bytes.length)];
  const all = [...kept, ...length, ...Object.entries(signature).flat()];
  return { status, relay: new WholeAnswer({ status, statusText, headers: all }, bytes) };
}

/** What the gateway writes itself if there is a body. */
const fieldsOfBody: ReadonlySet<string> = new Set([...responseSignatureFields, 'content-length']);

/** Signs a problem document for a verified client. Returns nothing to add if no key can sign, rather than fail. */
export function problemSignature(
  head: RequestHead,
  status: number,
  document: Uint8Array,
  signer: ForwardingSigner,
): Readonly<Record<string, string>> {
  const key = signer.key();
  if (key === undefined) return {};
  const contentDigest = isWithoutBody(head.method, status) ? undefined : digestOf(document);
  return signResponse({ status, contentDigest, request: head }, key, signer.nowMs());
}

/** A response that is written at once. */
class WholeAnswer implements RelayedAnswer {
  readonly head: ReturnedHead;
  readonly #bytes: Uint8Array;

  constructor(head: ReturnedHead, bytes: Uint8Array) {
    this.head = head;
    this.#bytes = bytes;
  }

  pipe(response: ServerResponse): void {
    sendBytes(response, this.#bytes);
  }

  abandon(): void {
    // The upstream is done.
  }
}

type Whole = Extract<WholeBodyOutcome, { readonly outcome: 'complete' }>;

async function wholeBody(relay: Relay, signing: AnswerSigning, isBodiless: boolean): Promise<Whole> {
  const { bytesMax, bodySeconds } = signing;
  const { headers } = relay.head;
  const announced = isBodiless ? 0 : lengthIn(headers);
  if (!isBodiless && isEndless(headers)) return failed(relay, 'it is a stream of events, which has no end');
  if (announced !== undefined && announced > bytesMax) return failed(relay, tooLarge(bytesMax));
  const body = new WholeBody(bytesMax, announced);
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), bodySeconds * 1000);
  relay.into(body);
  const whole = await Promise.race([body.outcome, late.promise]);
  clearTimeout(timer);
  if (whole === 'late')
    return failed(relay, `it was not complete after ${bodySeconds} s`, 'upstream_timeout');
  if (whole.outcome === 'too large') return failed(relay, tooLarge(bytesMax));
  // Over HTTP/2, a body may have another length than the announced one.
  if (whole.outcome === 'broken' || (announced !== undefined && announced !== whole.bytes.length))
    return failed(relay, 'it broke off');
  return whole;
}

function failed(relay: Relay, reason: string, failure?: UpstreamFailure): never {
  relay.abandon();
  throw unsigned(failure ?? 'upstream_failed', reason);
}

function unsigned(failure: UpstreamFailure, why: string): ProblemError {
  const reason = `the API's response cannot be signed: ${why}`;
  return new ProblemError(failure, { detail: reason, members: { reason } });
}

function tooLarge(bytesMax: number): string {
  return `it has more than ${bytesMax} bytes`;
}

/** RFC 9110 section 6.4.1. */
function isWithoutBody(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 304;
}

function isEndless(headers: readonly string[]): boolean {
  return valuesOf(headers, 'content-type').some((type) => /^\s*text\/event-stream\s*(?:;|$)/i.test(type));
}

function lengthIn(headers: readonly string[]): number | undefined {
  const [text] = valuesOf(headers, 'content-length');
  const length = text === undefined ? undefined : Number(text);
  return Number.isSafeInteger(length) ? length : undefined;
}
