import { readPublicKey } from '@countersign/signature/node';
import { ProblemError } from '@countersign/gate';

/**
 * Refuses a body in which a private key stands, wherever and in whatever wrapping, before anything else is said about
 * it. Nothing of the key is kept, logged or repeated: not even where it stood, which would repeat the name of a member.
 *
 * @throws ProblemError `private_key_refused`
 */
export function refusePrivateKeys(value: unknown): void {
  let looksLeft = looksMax;
  const look = (text: string): void => {
    if (text.length < charactersMin || looksLeft === 0) return;
    looksLeft -= 1;
    const reading = readPublicKey(text, noneFits);
    if (!reading.ok && reading.code === 'private_key') throw new ProblemError('private_key_refused');
  };
  const walk = (part: unknown): void => {
    if (typeof part === 'string') look(part);
    if (typeof part !== 'object' || part === null) return;
    // A JWK that was not written as text.
    if (Object.hasOwn(part, 'kty')) look(JSON.stringify(part));
    for (const [name, member] of Object.entries(part)) {
      look(name);
      walk(member);
    }
  };
  walk(value);
}

/** For every public key is too large then, its modulus is not examined, which would take up to 70 ms each. */
const noneFits = { modulusBitsMax: 0 };
/** A private key that is worth the name is longer. */
const charactersMin = 150;
/** No body that is accepted has more long texts than one, and reading a key takes time. */
const looksMax = 10;
