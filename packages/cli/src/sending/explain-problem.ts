import type { SignedRequest } from '@countersign/signature/node';
import { type Field, fieldLines } from '../terminal/layout.ts';
import { visible } from '../terminal/visible.ts';
import { readAnswerJson, textMember } from './json-text.ts';
import type { ReceivedAnswer } from './send-request.ts';

export interface Answered {
  readonly signed: SignedRequest;
  readonly fingerprint: () => string | undefined;
}

/** Advice about a rejection with this code that only the caller can follow. */
const ownAdvice: Readonly<Record<string, (answered: Answered) => readonly Field[]>> = {
  // The service must not reveal the cause. The fingerprint settles the most common one.
  signature_invalid: ({ signed, fingerprint }) => [
    ['keyid', keyidOf(signed.signatureBase)],
    ['your key', `${fingerprint() ?? 'unknown'}; compare with the fingerprint that is registered`],
  ],
  signature_replayed: () => [
    [
      'hint',
      'an equal request was sent in the same second, perhaps by another signer: simply send this one again',
    ],
  ],
};

/**
 * Explains an `application/problem+json` response (RFC 9457) in lines of labels and values. Undefined for any
 * other response. All of its content is untrusted.
 */
export function explainProblem(answer: ReceivedAnswer, answered: Answered): string | undefined {
  const type = answer.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  if (!/^application\/problem\+json\b/i.test(type)) return undefined;
  const problem = readAnswerJson(answer.body)?.value;
  if (typeof problem !== 'object' || problem === null) return undefined;
  const member = (name: string): string | undefined => textMember(problem, name);
  const code = member('code');
  const retryAfter = answer.headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1];
  return (
    `${visible([code, member('title')].filter((part) => part !== undefined).join(': '))}\n` +
    fieldLines([
      ['reason', member('reason')],
      ['expected', member('expected')],
      ['received', member('received')],
      ...invalidMembers(problem),
      ...clockFields(member('serverTime'), answered.signed.created),
      ...(code !== undefined && Object.hasOwn(ownAdvice, code) ? ownAdvice[code]!(answered) : []),
      ['what to do', member('detail')],
      ['not explained', member('explanationWithheld')],
      ['try again', retryAfter === undefined ? undefined : `after ${retryAfter} s`],
      ['request id', member('requestId')],
    ])
  );
}

/** Reads `errors`, each with `pointer` and `message` or `detail`. */
function invalidMembers(problem: object): Field[] {
  const errors = (problem as Readonly<Record<string, unknown>>)['errors'];
  if (!Array.isArray(errors)) return [];
  return errors.map((error): Field => {
    const place = textMember(error, 'pointer') ?? textMember(error, 'parameter') ?? '';
    return ['wrong', `${place}: ${textMember(error, 'message') ?? textMember(error, 'detail') ?? ''}`];
  });
}

function clockFields(serverTime: string | undefined, created: number): Field[] {
  const serverSeconds = Math.floor(Date.parse(serverTime ?? '') / 1000);
  if (Number.isNaN(serverSeconds)) return [];
  const aheadSeconds = created - serverSeconds;
  const difference =
    aheadSeconds === 0
      ? 'the same'
      : `${Math.abs(aheadSeconds)} s ${aheadSeconds > 0 ? 'ahead of it' : 'behind it'}`;
  return [
    ['service time', new Date(serverSeconds * 1000).toISOString()],
    ['your clock', difference],
  ];
}

function keyidOf(signatureBase: string): string | undefined {
  return /;keyid="((?:[^"\\]|\\.)*)"/.exec(signatureBase)?.[1];
}
