import { clientLabelLimits, isMetadataKey, isMetadataValue, isTag } from '@countersign/contract';
import type { Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import { RegistryError } from '../registry-error.ts';
import type { ClientMetadata } from './client-records.ts';

/** Changes to metadata: null removes an entry, and other entries stay (RFC 7396). */
export type MetadataChange = Readonly<Record<string, string | null>>;

/**
 * Returns tags sorted and without duplicates.
 *
 * @throws RegistryError `tags_invalid`
 */
export function readTags(tags: readonly string[]): readonly string[] {
  const sorted = [...new Set(tags)].toSorted();
  const wrong = sorted.find((tag) => !isTag(tag));
  if (wrong !== undefined) {
    throw new RegistryError(
      'tags_invalid',
      `Write a tag with 1 to ${clientLabelLimits.tagCharactersMax} lower-case letters and digits, and single - _ . : / between them.`,
      { member: ['tags', tags.indexOf(wrong)] },
    );
  }
  if (sorted.length > clientLabelLimits.tagsMax) {
    throw new RegistryError('tags_invalid', `A client has at most ${clientLabelLimits.tagsMax} tags.`, {
      member: ['tags'],
    });
  }
  return sorted;
}

/**
 * Returns metadata after a change, sorted by key.
 *
 * @throws RegistryError `metadata_invalid`
 */
export function metadataAfter(before: ClientMetadata, change: MetadataChange): ClientMetadata {
  const entries = new Map<string, string>(Object.entries(before));
  for (const [key, value] of Object.entries(change)) {
    if (value === null) entries.delete(key);
    else if (isMetadataKey(key) && isMetadataValue(value)) entries.set(key, value);
    else {
      throw new RegistryError(
        'metadata_invalid',
        `Write metadata as strings of at most ${clientLabelLimits.metadataValueCharactersMax} characters, with keys of letters, digits, _ . and -.`,
        { member: ['metadata', key] },
      );
    }
  }
  if (entries.size > clientLabelLimits.metadataEntriesMax) {
    throw new RegistryError(
      'metadata_invalid',
      `A client has at most ${clientLabelLimits.metadataEntriesMax} entries of metadata: remove some first.`,
      { member: ['metadata'] },
    );
  }
  return Object.fromEntries([...entries].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Replaces a client's tags. */
export async function writeTags(
  transaction: Transaction<Schema>,
  clientId: string,
  tags: readonly string[],
): Promise<void> {
  await transaction.deleteFrom('client_tags').where('client_id', '=', clientId).execute();
  if (tags.length === 0) return;
  const rows = tags.map((tag) => ({ client_id: clientId, tag }));
  await transaction.insertInto('client_tags').values(rows).execute();
}
