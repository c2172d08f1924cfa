import { readNetworkEntry } from '@countersign/contract';
import type { Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import { RegistryError } from '../registry-error.ts';

/** A whitelist entry as it is kept: canonical text, and what people call it. */
export interface NetworkRecord {
  readonly entry: string;
  readonly label: string;
}

/** A whitelist entry as it is given: a text, or a text with a label of at most 100 characters. */
export type NetworkInput = string | { readonly entry: string; readonly label?: string };

/**
 * Reads a whole whitelist into canonical entries, each once.
 *
 * @throws RegistryError `network_empty`, `network_invalid` (with the number of the entry), `network_too_long`
 */
export function readNetwork(inputs: readonly NetworkInput[]): readonly NetworkRecord[] {
  if (inputs.length === 0) {
    throw new RegistryError(
      'network_empty',
      'Give at least one address or network that the client calls from, or 0.0.0.0 for everyone: an empty whitelist would refuse every request.',
    );
  }
  if (inputs.length > entriesMax) {
    throw new RegistryError(
      'network_too_long',
      `Give at most ${entriesMax} entries: use networks for many addresses.`,
    );
  }
  const records = new Map<string, NetworkRecord>();
  for (const [index, input] of inputs.entries()) {
    const { entry, label = '' } = typeof input === 'string' ? { entry: input } : input;
    const reading = readNetworkEntry(entry);
    if (!reading.ok)
      throw new RegistryError('network_invalid', `Whitelist entry ${index + 1}: ${reading.message}`);
    if (!/^[^\p{Cc}\p{Cs}]{0,100}$/u.test(label)) {
      throw new RegistryError(
        'network_invalid',
        `Whitelist entry ${index + 1}: write a label of at most 100 characters, without control characters.`,
      );
    }
    records.set(reading.entry.text, { entry: reading.entry.text, label });
  }
  return [...records.values()];
}

/** Replaces the whitelist of a client. */
export async function writeNetwork(
  transaction: Transaction<Schema>,
  clientId: string,
  network: readonly NetworkRecord[],
  nowMs: number,
): Promise<void> {
  await transaction.deleteFrom('network_entries').where('client_id', '=', clientId).execute();
  const rows = network.map(({ entry, label }) => ({
    client_id: clientId,
    entry,
    label,
    created_at_ms: nowMs,
  }));
  await transaction.insertInto('network_entries').values(rows).execute();
}

const entriesMax = 1000;
