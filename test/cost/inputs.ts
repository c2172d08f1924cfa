import { type OperationId, operations } from '@countersign/contract';
import { goodCalls } from '../../packages/server/test/management/good-calls.ts';
import type { ManagementCall } from '../../packages/server/test/management/scene.ts';
import type { Ground } from './ground.ts';
import { hostileBodies } from './hostile-bodies.ts';
import { hostileQueries } from './hostile-queries.ts';
import { hostileTexts } from './hostile-texts.ts';
import { largestCalls } from './largest-calls.ts';

/** A request that is as expensive as possible. */
export interface CostlyInput {
  readonly what: string;
  /** The call, which creates the data that it needs. */
  readonly call: () => ManagementCall | Promise<ManagementCall>;
}

/** All inputs for an operation: in its path, its header fields, its query and its body. */
export async function inputsOf(ground: Ground, id: OperationId): Promise<readonly CostlyInput[]> {
  const good = goodCallOf(ground, id);
  const base = await good();
  return [
    { what: 'an ordinary call', call: good },
    ...(largestCalls[id] ?? []).map(({ what, call }) => ({
      what,
      call: () => ({ ...base, ...call(ground) }),
    })),
    ...hostilePaths(base),
    ...hostileHeaders(base, id),
    ...hostileQueries(id, ground).map(({ what, query }) => ({ what, call: () => ({ ...base, query }) })),
    ...hostileBodies(id, base.body).map(({ what, text }) => ({
      what,
      call: () => ({ ...base, body: text() }),
    })),
  ];
}

function goodCallOf({ play }: Ground, id: OperationId): () => Promise<ManagementCall> {
  const known = goodCalls[id];
  return known === undefined ? async () => callOfClients(id, play.newName()) : () => known(play);
}

/** The operations that only clients call; for a payment that does not exist, the cost of finding that out. */
function callOfClients(id: OperationId, name: string): ManagementCall {
  if (id === 'createPayment') return { body: { amount: 1, currency: 'EUR', reference: name } };
  const path = { paymentId: `payment_${'0'.repeat(26)}` };
  return operations[id].path.includes('{paymentId}') ? { path } : {};
}

/** The target may have 8 KiB, in which each character of such a text takes up to nine. */
const pathCharacters = 800;

function hostilePaths(base: ManagementCall): readonly CostlyInput[] {
  return Object.keys(base.path ?? {}).flatMap((name) =>
    hostileTexts.map(({ what, ofLength }) => ({
      what: `${name} in the path: ${what}`,
      call: () => ({ ...base, path: { ...base.path, [name]: ofLength(pathCharacters) } }),
    })),
  );
}

/** A header section may have 16 KiB. */
const headerCharacters = 12_000;

function hostileHeaders(base: ManagementCall, id: OperationId): readonly CostlyInput[] {
  const fields = {
    'If-Match': ['"x", ', 'W/', '"', '*,'],
    'Idempotency-Key': ['a', ':', '"'],
    Cookie: ['a=b; ', '=', '; '],
    'Accept-Language': ['en;q=0.1,'],
  };
  const takes = (name: string): boolean =>
    (name !== 'If-Match' || operations[id].ifMatch !== undefined) &&
    (name !== 'Idempotency-Key' || operations[id].takesIdempotencyKey === true);
  return Object.entries(fields)
    .filter(([name]) => takes(name))
    .flatMap(([name, parts]) =>
      parts.map((part) => ({
        what: `${name}: ${part.trim()} again and again`,
        call: () => ({ ...base, headers: { ...base.headers, [name]: longHeader(part) } }),
      })),
    );
}

function longHeader(part: string): string {
  return part
    .repeat(headerCharacters / part.length)
    .slice(0, headerCharacters)
    .trim();
}
