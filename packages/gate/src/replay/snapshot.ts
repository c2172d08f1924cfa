import type { RememberedSecond } from '@countersign/signature/node';

/** A guard's memory: the signatures it remembers, and the last second for which it may have forgotten some. */
export interface GuardMemory {
  readonly remembered: Iterable<RememberedSecond>;
  /** Unix seconds; negative infinity if nothing was ever forgotten. */
  readonly horizonSeconds: number;
}

/** The first bytes of a snapshot, including the format's version. */
const signature = Buffer.from('countersign replay snapshot 1\n', 'latin1');
const numberBytes = 8;
const idBytes = 16;

/**
 * Encodes a guard's memory: the file's signature, the horizon, and for each second: `created`, the byte count of its
 * clients, the number of its IDs, the clients with their ID counts and accounts as JSON, and the IDs. Numbers are 8-byte doubles,
 * big-endian.
 */
export function encodeSnapshot({ remembered, horizonSeconds }: GuardMemory): Buffer {
  const parts: Buffer[] = [signature, numbers(horizonSeconds)];
  for (const { created, ids, entriesByClient } of remembered) {
    const clients = Buffer.from(JSON.stringify([...entriesByClient]), 'utf8');
    const joined = Buffer.from([...ids].join(''), 'latin1');
    parts.push(numbers(created, clients.length, joined.length / idBytes), clients, joined);
  }
  return Buffer.concat(parts);
}

/**
 * Decodes what `encodeSnapshot` wrote; undefined for a snapshot of another version. The caller must know that the bytes
 * are complete.
 */
export function decodeSnapshot(bytes: Buffer): GuardMemory | undefined {
  if (!bytes.subarray(0, signature.length).equals(signature)) return undefined;
  let position = signature.length;
  const take = (count: number): Buffer => bytes.subarray(position, (position += count));
  const takeNumber = (): number => take(numberBytes).readDoubleBE();
  const horizonSeconds = takeNumber();
  const remembered: RememberedSecond[] = [];
  while (position < bytes.length) {
    const created = takeNumber();
    const clientsBytes = takeNumber();
    const idCount = takeNumber();
    const entriesByClient = JSON.parse(take(clientsBytes).toString('utf8')) as [string, number, string?][];
    const ids = Array.from({ length: idCount }, () => take(idBytes).toString('latin1'));
    remembered.push({ created, ids, entriesByClient });
  }
  return { remembered, horizonSeconds };
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * numberBytes);
  for (const [index, value] of values.entries()) bytes.writeDoubleBE(value, index * numberBytes);
  return bytes;
}
