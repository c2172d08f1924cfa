import { readPublicKey } from '@countersign/signature/node';
import { ProblemError } from '@countersign/gate';

/**
 * Refuses a body that contains a private key, anywhere and in any encoding, before reporting anything else about it.
 * Nothing about the key is stored, logged or repeated, not even its location, which would repeat a member's name.
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
    // A JWK given as an object instead of text.
    if (Object.hasOwn(part, 'kty')) look(JSON.stringify(part));
    for (const [name, member] of Object.entries(part)) {
      look(name);
      walk(member);
    }
  };
  walk(value);
}

/** Makes every public key too large, so that its modulus is not examined, which would take up to 70 ms each. */
const noneFits = { modulusBitsMax: 0 };
/** Every private key worth the name is longer. */
const charactersMin = 150;
/** No accepted body has more than one long text, and reading a key takes time. */
const looksMax = 10;
