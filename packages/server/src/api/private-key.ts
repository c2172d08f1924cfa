import { holdsPrivateKey, keyTextLengthMax } from '@countersign/signature/node';
import { ProblemError } from '@countersign/gate';
import { nextLoopTurn } from '@countersign/gate/loop-turns';

/**
 * Rejects a body that contains a private key, anywhere and in any encoding, before reporting anything else
 * about it. Nothing about the key is stored, logged or repeated, not even its location, which would repeat a
 * member's name.
 *
 * Examines each long text once, up to its first 64 KiB, in short turns, so that other requests are served in
 * between. A body of 1 MiB takes about 0.2 s.
 *
 * @throws ProblemError `private_key_refused`
 */
export async function rejectPrivateKeys(value: unknown): Promise<void> {
  let charactersLeft = turnCharacters;
  for (const text of textsOf(value)) {
    // Walking through many short texts takes time, too.
    const cost = Math.max(text.length, charactersOfVisit);
    if (cost > charactersLeft) {
      await nextLoopTurn('bodies');
      charactersLeft = turnCharacters;
    }
    charactersLeft -= cost;
    if (text.length < charactersMin) continue;
    if (holdsPrivateKey(text.slice(0, keyTextLengthMax))) throw new ProblemError('private_key_refused');
  }
}

/** Every text that tells of a usable private key is longer: an Ed25519 key has 32 bytes. */
const charactersMin = 40;
/** The number of characters examined in one turn, unless a single text is longer. */
const turnCharacters = 4096;
/** Visiting a text takes about as long as examining this many characters. */
const charactersOfVisit = 4;

/** Yields the texts of a body that could hold a private key: values, names, and JWKs that are objects instead of text. */
function* textsOf(part: unknown): Generator<string> {
  if (typeof part === 'string') yield part;
  if (typeof part !== 'object' || part === null) return;
  if (isJwk(part)) yield jwkText(part);
  if (Array.isArray(part)) {
    for (const item of part) yield* textsOf(item);
    return;
  }
  for (const [name, member] of Object.entries(part)) {
    yield name;
    yield* textsOf(member);
  }
}

/** Writes the members of a JWK as text, without the JWKs nested in it: each of those is examined separately. */
function jwkText(jwk: object): string {
  return JSON.stringify(jwk, (_name, member: unknown) =>
    member !== jwk && isJwk(member) ? undefined : member,
  );
}

function isJwk(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'kty');
}
