import type { ProblemCode } from '@countersign/contract/problems';
import type { RefusalCode } from '@countersign/signature/node';

/**
 * What to do about a refusal. The contract has the texts for answers of a service; those of them that speak of an answer
 * have another form here. The contract is loaded only now, because most verifications do not need it.
 */
export async function adviceFor(code: RefusalCode): Promise<string> {
  const own = ownAdvice.get(code);
  if (own !== undefined) return own;
  const { problems } = await import('@countersign/contract/problems');
  return problems[code satisfies ProblemCode].detail;
}

const ownAdvice: ReadonlyMap<RefusalCode, string> = new Map<RefusalCode, string>([
  [
    'request_malformed',
    'Give one whole HTTP/1.1 request as it went over the wire: request line, headers, an empty line, the body.',
  ],
  ['components_invalid', 'Cover exactly the expected components, in that order and without parameters.'],
  [
    'created_expired',
    'Sign each request just before sending it, with a clock that is right. For a request that was recorded, give the time of its arrival with --at.',
  ],
  [
    'created_in_future',
    'Set the clock of the signing machine. For a request that was recorded, give the time of its arrival with --at.',
  ],
  [
    'signature_invalid',
    'Check that the key belongs to the private key that signed, that the URL above is the one that was called (--scheme, --url), and that nothing on the way changed method, URL or the covered headers.',
  ],
]);
