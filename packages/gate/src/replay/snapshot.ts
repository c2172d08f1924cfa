import type { RememberedSecond } from '@countersign/signature/node';

/** What a guard knows: the signatures that it remembers, and up to which second it may have forgotten some. */
export interface GuardMemory {
  readonly remembered: Iterable<RememberedSecond>;
  /** Unix seconds; negative infinity when nothing was ever forgotten. */
  readonly horizonSeconds: number;
}

/** The first bytes of a snapshot, with the version of its form. */
const signature = Buffer.from('countersign replay snapshot 1\n', 'latin1');
const numberBytes = 8;
const idBytes = 16;

/**
 * Writes what a guard knows as bytes: the signature of the file, the horizon, and for each second `created`, the number
 * of bytes of its clients, the number of its ids, the clients with their numbers of ids as JSON, the ids.
 * Numbers are doubles of 8 bytes, big-endian.
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

/** Reads what `encodeSnapshot` wrote; undefined for a snapshot of another version. Its bytes must be known to be whole. */
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
    const entriesByClient = JSON.parse(take(clientsBytes).toString('utf8')) as [string, number][];
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
