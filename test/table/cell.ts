import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../signers/packages.ts';
import { type Arrival, echoOf } from './api.ts';
import type { TableAnswer } from './program.ts';

/** The outcome of a case in a client. */
export type Cell =
  | { readonly kind: 'right'; readonly note?: string }
  /** An error with a code, if the case allows one. */
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'wrong'; readonly what: string }
  /** The client cannot do this. */
  | { readonly kind: 'impossible'; readonly reason: string };

export const right: Cell = { kind: 'right' };

export function wrong(what: string): Cell {
  return { kind: 'wrong', what: what.replaceAll(/\s+/g, ' ').slice(0, 400) };
}

/** The expectations for one request. */
export interface Expected {
  readonly method: string;
  /** Every target that means the URL. */
  readonly targets: readonly string[];
  readonly body?: Uint8Array | undefined;
  /** Codes of errors that are as right as a response. */
  readonly codes?: readonly string[];
}

/** Judges a request that the API should have received once and described in its response. */
export function judgeEcho(answer: TableAnswer, arrivals: readonly Arrival[], expected: Expected): Cell {
  const { method, targets, body = new Uint8Array(), codes = [] } = expected;
  const code = answer.error ?? answer.code ?? undefined;
  if (code !== undefined)
    return codes.includes(code) && arrivals.length === 0 ? { kind: 'code', code } : wrong(textOf(answer));
  const [arrival, ...others] = arrivals;
  if (answer.status !== 200) return wrong(textOf(answer));
  if (arrival === undefined || others.length > 0) return wrong(`it arrived ${arrivals.length} times`);
  if (arrival.method !== method) return wrong(`it arrived as ${arrival.method}`);
  if (!targets.includes(arrival.target)) return wrong(`it arrived as ${arrival.target}`);
  if (!arrival.body.equals(body)) return wrong(`${arrival.body.length} bytes arrived, not ${body.length}`);
  const echo = echoOf(arrival);
  return method === 'HEAD' || bodyOf(answer) === echo ? right : wrong(`the answer is ${bodyOf(answer)}`);
}

/** The text of a response. */
export function bodyOf({ body }: TableAnswer): string {
  return Buffer.from(body ?? '', 'base64').toString();
}

/** A response in one line. */
export function textOf(answer: TableAnswer): string {
  const { status, code, error, message = '' } = answer;
  if (error !== undefined) return `${error}: ${message}`;
  return `${status} ${code ?? ''} ${bodyOf(answer).slice(0, 100)}`;
}

/** Every code of an error that a signer reports before it sends anything. */
export const signerCodes: ReadonlySet<string> = new Set([
  'keyid_invalid',
  'private_key_invalid',
  'request_invalid',
  'body_too_large',
  'too_many_equal_requests',
  'signing_failed',
  'repeat_not_signed',
]);

const serviceErrors = readFileSync(join(root, 'docs/errors.md'), 'utf8');

/**
 * Returns true if the page of a signer names a code, in the spelling of its language, or if the page of the
 * service's codes does.
 */
export function isNamed(code: string, readme: string): boolean {
  if (serviceErrors.includes(`### \`${code}\``)) return true;
  const capitals = code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const page = readFileSync(readme, 'utf8');
  return [code, capitals, `Err${capitals}`].some((name) => page.includes(`\`${name}\``));
}
