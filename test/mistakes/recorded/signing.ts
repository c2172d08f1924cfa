import { randomNumbers } from '../../../packages/explain/test/unrelated-request.ts';
import { clientIdOf, keyOf } from '../account.ts';
import { type Program, rightProgram, run, type Wish } from '../fresh/program.ts';
import type { FreshSlip } from '../fresh/slip.ts';
import { heldUrlOf } from './difference.ts';
import { bytesOf, type Exchange } from './recording.ts';

type Signed = Pick<Exchange, 'held' | 'clock' | 'account'>;

/** The headers that a signer adds. */
const names = ['date', 'content-digest', 'signature-input', 'signature'];

/**
 * Signs the signer's request. `change` adds mistakes of the signer.
 *
 * @returns the values by the header's name in lower case
 */
export function signHeld(
  exchange: Signed,
  change: (program: Program) => void = () => {},
): ReadonlyMap<string, string> {
  const program = rightProgram();
  const bytes = bytesOf(exchange.held.body);
  program.hashedBody = () => bytes;
  change(program);
  const { request } = run(program, wishOf(exchange));
  const lines = request.headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  return new Map(lines.filter(([name]) => names.includes(name)));
}

/** Adds the mistakes of a signer to a program that signs an exchange. */
export function changeOf(slips: readonly FreshSlip[], exchange: Signed): (program: Program) => void {
  return (program) => {
    for (const slip of slips) slip.change(program, wishOf(exchange), randomNumbers(exchange.clock));
  };
}

function wishOf({ held, clock, account }: Signed): Wish {
  return {
    method: held.method,
    url: heldUrlOf(held),
    body: bytesOf(held.body).toString(),
    clientId: clientIdOf(account),
    key: keyOf(account),
    clock,
  };
}
