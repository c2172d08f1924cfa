import type { DefinedProfile, MessageAlgorithm, MessageVerifyingKey } from '@countersign/signature/messages';
import { CommandError, usageError } from '../exits.ts';
import { readTextFile } from '../files.ts';
import type { Io } from '../terminal/io.ts';

/** A public key to verify with by a profile. */
export interface ProfileKeyFile {
  /** Its id is its fingerprint. */
  readonly key: MessageVerifyingKey;
  /** Set if the private key is published, so that a valid signature proves nothing. */
  readonly warning: string | undefined;
}

const rsaAlgorithms: readonly MessageAlgorithm[] = ['rsa-v1_5-sha256', 'rsa-pss-sha512', 'PS256'];

/**
 * Reads a public key for a profile. Throws a CommandError that repeats nothing of the file.
 *
 * @param algorithm the algorithm of an RSA key, if the profile has several
 */
export async function readProfileKeyFile(
  path: string,
  { profile }: DefinedProfile,
  algorithm: string | undefined,
  io: Io,
): Promise<ProfileKeyFile> {
  const { verifyingKey } = await import('@countersign/signature/messages/node');
  const text = await readTextFile(io, path, 'public key');
  const given = profile.algorithms.find((name) => name === algorithm);
  if (algorithm !== undefined && given === undefined)
    throw usageError(
      `${profile.id} is not signed with "${algorithm}", but with ${profile.algorithms.join(' or ')}.`,
    );
  const forRsa = rsaAlgorithms.filter((name) => profile.algorithms.includes(name));
  // Without an algorithm, every key is read except RSA, for which there are several.
  const tried = given === undefined ? [undefined, forRsa[0] ?? rsaAlgorithms[0]] : [given];
  let problem = '';
  for (const allowPublishedTestKeys of [false, true])
    for (const one of tried)
      try {
        const options = { modulusBitsMax: 8192, allowPublishedTestKeys, ...(one && { algorithm: one }) };
        const key = verifyingKey(text, options);
        if (given === undefined && rsaAlgorithms.includes(key.algorithm) && forRsa.length > 1)
          throw usageError(
            `An RSA key can sign by ${profile.id} with ${forRsa.join(' or ')}: add --algorithm.`,
          );
        const warning = allowPublishedTestKeys
          ? 'This is a published test key: anyone can sign with it.'
          : undefined;
        return { key, warning };
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        problem = error.message;
      }
  throw new CommandError('local', 'public_key_invalid', `${path}: ${problem}`);
}
