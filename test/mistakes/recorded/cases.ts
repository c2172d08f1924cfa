import { randomNumbers } from '../../../packages/explain/test/unrelated-request.ts';
import type { MistakeCase } from '../corpus.ts';
import { baseSlips } from '../fresh/base-slips.ts';
import type { FreshSlip } from '../fresh/slip.ts';
import { type Difference, differencesOf, targetUriOf } from './difference.ts';
import { seedOf } from './plan.ts';
import { bytesOf, type Exchange, programsOf, readExchanges } from './recording.ts';
import { isSetAside } from './set-aside.ts';
import { changeOf, signHeld } from './signing.ts';

/** A request that real software changed after it was signed, perhaps by a signer that also made mistakes. */
export interface RecordedCase {
  readonly id: string;
  readonly exchange: Exchange;
  readonly differences: readonly Difference[];
  readonly slips: readonly FreshSlip[];
  /** The number of mistakes. */
  readonly size: number;
}

export interface RecordedCases {
  readonly correct: readonly RecordedCase[];
  readonly singles: readonly RecordedCase[];
  readonly combinations: readonly RecordedCase[];
}

/** Mistakes of signers that occur every week. */
const slipNames = [
  'date: iso',
  'clock: -10 min',
  'clock: +1 h',
  'parameters: ms',
  'parameters: fraction',
  'parameters: keyid unquoted',
  'parameters: no alg',
  'parameters: rsa-sha256',
  'parameters: nonce',
  'signed parameters: keyid first',
  'params: label',
  'params: only list',
  'components: no date',
  'components: no digest',
  'components: content-type',
  'lines: no params',
  'lines: no date',
  'lines: no digest',
  'line: no space',
  'line: unquoted',
  'join: CRLF',
  'join: \\n',
  'base: newline',
  'sign: twice',
  'sign: hex',
  'sign: sha1',
  'sign: sha512',
  'stranger: 2048',
  'key: retired',
  'key: other',
  'keyid: name',
  'keyid: cut',
  'signature: base64url',
  'signature: hex',
  'signature header: no colons',
  'signature header: sig1',
];

const slips = slipNames.map((name) => {
  const found = baseSlips.find((slip) => slip.name === name);
  if (!found) throw new Error(`there is no slip ${name}`);
  return found;
});

/** Slips of one group are not combined: one of them could hide the other. */
const groups: Readonly<Record<string, string>> = {
  'signed parameters': 'params',
  params: 'params',
  lines: 'params',
  components: 'params',
  key: 'key',
  keyid: 'key',
  stranger: 'key',
  sign: 'key',
};

/** Reads the recordings, either the part to build with or the part that is set aside. */
export function readRecordedCases(part: 'open' | 'set-aside'): RecordedCases {
  const wanted = readExchanges().filter(
    (exchange) => programsOf(exchange).some(isSetAside) === (part === 'set-aside'),
  );
  const known = wanted.filter(({ arrived }) => targetUriOf(arrived) !== undefined);
  const plain = unlike(known.map((exchange) => caseOf(exchange, differencesOf(exchange), [])));
  const changed = plain.filter(({ size }) => size === 1);
  return {
    correct: plain.filter(({ size }) => size === 0),
    singles: changed,
    combinations: [
      ...plain.filter(({ size }) => size > 1),
      ...changed.flatMap((one) => withSlips(one, 1)),
      ...changed.filter((_, index) => index % 2 === 0).flatMap((one) => withSlips(one, 2)),
    ],
  };
}

/** Removes the changes that another program made to the same text. */
function unlike(cases: readonly RecordedCase[]): readonly RecordedCase[] {
  const seen = new Set<string>();
  return cases.filter(({ exchange: { client, held, arrived }, size }) => {
    const mark = JSON.stringify([held, arrived.method, arrived.target, arrived.body, size === 0 && client]);
    const isNew = !seen.has(mark);
    seen.add(mark);
    return isNew;
  });
}

/** Adds mistakes of the signer: the same for the same exchange. */
function withSlips({ exchange, differences, id }: RecordedCase, count: number): readonly RecordedCase[] {
  const random = randomNumbers(seedOf(`${id} ${count}`));
  const hasBody = bytesOf(exchange.held.body).length > 0;
  for (let tries = 0; tries < 20; tries++) {
    const chosen = Array.from({ length: count }, () => slips[random(slips.length)]!);
    if (new Set(chosen.map(({ stage }) => groups[stage] ?? stage)).size < count) continue;
    if (!hasBody && chosen.some(({ name }) => name.endsWith('no digest'))) continue;
    // Without a key of the account, the signed text is unknown.
    const isHidden = chosen.some(({ stage }) => stage === 'stranger');
    const isInBase = chosen.some(({ stage }) =>
      ['line', 'join', 'base', 'params'].includes(groups[stage] ?? stage),
    );
    if (isHidden && (isInBase || differences.some(({ part }) => part !== 'body'))) continue;
    return [caseOf(exchange, differences, chosen)];
  }
  return [];
}

function caseOf(
  exchange: Exchange,
  differences: readonly Difference[],
  chosen: readonly FreshSlip[],
): RecordedCase {
  const names = [
    ...differences.map(({ part, kind }) => `${part}: ${kind}`),
    ...chosen.map(({ name }) => name),
  ];
  const via = exchange.proxy === undefined ? [] : [exchange.proxy];
  const id = [exchange.client, ...via, seedOf(JSON.stringify(exchange)).toString(36), ...names].join(' / ');
  return { id, exchange, differences, slips: chosen, size: names.length };
}

/** Signs as the signer did, and puts the signed text in place of the received text. */
export function mistakeOf({ id, exchange, differences, slips: chosen }: RecordedCase): MistakeCase {
  const { arrived, held, clock, client } = exchange;
  const values = signHeld(exchange, changeOf(chosen, exchange));
  const body = bytesOf(arrived.body ?? held.body);
  const named = [...differences, ...chosen].map(({ codes }) => codes);
  return {
    id,
    maker: client,
    description: '',
    mistakes: named.map(([first]) => first!),
    sameAs: Object.fromEntries(named.map((codes) => [codes[0]!, codes])),
    request: {
      method: arrived.method,
      targetUri: targetUriOf(arrived)!,
      headers: arrived.headers.flatMap(([name, value]): [string, string][] => {
        const sent = value ?? values.get(name.toLowerCase());
        return sent === undefined ? [] : [[name, sent]];
      }),
      ...(body.length > 0 && { bodyBase64: body.toString('base64') }),
    },
    context: { nowSeconds: clock + 2 },
  };
}
