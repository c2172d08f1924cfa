import {
  type DirectoryContents,
  type DirectoryKey,
  type SkipReason,
  thumbprintOfPem,
} from './directory-key.ts';
import { isKeyid } from '@countersign/signature/profile';
import { DirectoryFault } from './directory-problem.ts';
import { KeyCollection } from './key-collection.ts';
import { holdsSecret, isKeyId, type KeyReading, readKey } from './read-key.ts';

/** An actor has one key; some have a new and an old one. */
const keysMax = 10;

/**
 * Reads the keys of an ActivityPub actor: `publicKey`, one or several, with `id`, `owner` or `controller`, and `publicKeyPem`
 * (Security Vocabulary v1). The keys of `assertionMethod` (FEP-521a) are not read.
 *
 * The actor's `id` must be the URL that it was fetched from, and each key must belong to it. So a document that someone could
 * upload to a server speaks for nobody else.
 *
 * @throws DirectoryFault `document_invalid`, `actor_mismatch`, `keys_too_many`
 */
export async function readActor(
  document: unknown,
  url: string,
  reading: KeyReading,
): Promise<DirectoryContents> {
  if (!isObject(document)) throw notAnActor();
  if (document['id'] !== url) throw new DirectoryFault('actor_mismatch');
  const { publicKey } = document;
  if (!isObject(publicKey) && !Array.isArray(publicKey)) throw notAnActor();
  const entries: readonly unknown[] = Array.isArray(publicKey) ? publicKey : [publicKey];
  if (entries.length > keysMax) throw new DirectoryFault('keys_too_many', 'The actor has more than 10 keys.');
  const names = Map.groupBy(entries, (entry) => (isObject(entry) ? entry['id'] : undefined));
  const collection = new KeyCollection();
  for (const [index, entry] of entries.entries()) {
    // A name that two keys have names none.
    const isAmbiguous = isObject(entry) && isKeyId(entry['id']) && (names.get(entry['id'])?.length ?? 0) > 1;
    const result = index < reading.limits.rsaKeysMax ? await readEntry(entry, url, reading) : 'too_many';
    if (result === 'private_key' && isObject(entry))
      collection.exclude(thumbprintIfKey(entry['publicKeyPem']));
    collection.add(isAmbiguous && typeof result !== 'string' ? 'key_id_ambiguous' : result);
  }
  return collection.contents();
}

async function readEntry(
  entry: unknown,
  url: string,
  { policy }: KeyReading,
): Promise<DirectoryKey | SkipReason> {
  if (!isObject(entry)) return 'not_a_key';
  const { id: kid, owner, controller = owner, publicKeyPem } = entry;
  if (holdsSecret(JSON.stringify(entry))) return 'private_key';
  if ((owner ?? controller) !== url || controller !== url) return 'owner_mismatch';
  // What a `keyid` can be here.
  if (!isKeyid(kid)) return 'key_id_invalid';
  if (kid !== url && !kid.startsWith(`${url}#`)) return 'owner_mismatch';
  if (typeof publicKeyPem !== 'string') return 'malformed';
  const claims = { kid, algorithm: undefined, startsAtMs: undefined, endsAtMs: undefined };
  return readKey(publicKeyPem, claims, policy);
}

/** Also finds the public half of a private key. */
function thumbprintIfKey(text: unknown): string | undefined {
  try {
    return typeof text === 'string' ? thumbprintOfPem(text) : undefined;
  } catch {
    return undefined;
  }
}

function notAnActor(): DirectoryFault {
  return new DirectoryFault('document_invalid', 'The document is not an actor with a public key.');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
