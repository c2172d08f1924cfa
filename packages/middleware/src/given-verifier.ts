import type { Verifier } from './verifier.ts';

/**
 * Returns the verifier that `countersign()` was given. Throws a TypeError for anything else, so that a mistake stops the
 * server before it listens.
 *
 * @param usage the right call, for the error
 */
export function givenVerifier(given: unknown, usage: string): Verifier {
  const { receive, onError } = (given ?? {}) as Partial<Verifier>;
  if (typeof receive === 'function' && typeof onError === 'function') return given as Verifier;
  throw new TypeError(
    `countersign() needs the verifier that createVerifier() returned. Use it like this: ${usage}`,
  );
}
