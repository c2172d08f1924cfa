import type { CandidateKey } from '@countersign/explain';
import { declaredKeyid, type PastedRequest } from '@countersign/explain/request-text';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { CommandError, usageError } from '../exits.ts';
import type { Io } from '../terminal/io.ts';
import { readPublicKeyFile } from '../verifying/public-key-file.ts';

export interface GivenKeys {
  readonly candidates: readonly CandidateKey[];
  readonly warnings: readonly string[];
}

/**
 * Reads the keys given as `--key FILE` or `--key CLIENT_ID=FILE`. Without a client ID, a key counts as registered for
 * the request's keyid; with no request, for whichever client its selected signature names. Rejects private keys without repeating any of them.
 */
export async function readGivenKeys(
  options: readonly string[],
  request: PastedRequest | undefined,
  io: Io,
): Promise<GivenKeys> {
  const keyid = (request && declaredKeyid(request)) ?? '';
  const keys = await Promise.all(
    options.map(async (option) => {
      const { clientId = keyid, file } = readKeyOption(option, io);
      const { verificationKey, fingerprint, warning } = await readKey(file, io);
      const spkiPem = verificationKey.keyObject.export({ type: 'spki', format: 'pem' });
      const candidate: CandidateKey = { spkiPem, fingerprint, clientId, keyState: 'active' };
      return { candidate, warning };
    }),
  );
  return {
    candidates: keys.map(({ candidate }) => candidate),
    warnings: keys.flatMap(({ warning }) => warning ?? []),
  };
}

function readKeyOption(option: string, io: Io): { readonly clientId?: string; readonly file: string } {
  const equals = option.indexOf('=');
  if (equals < 0 || existsSync(resolve(io.folder, option))) return { file: option };
  const [clientId, file] = [option.slice(0, equals), option.slice(equals + 1)];
  if (clientId === '' || file === '')
    throw usageError("--key needs FILE, or CLIENT_ID=FILE for that client's key.");
  return { clientId, file };
}

async function readKey(file: string, io: Io): ReturnType<typeof readPublicKeyFile> {
  try {
    return await readPublicKeyFile(file, io);
  } catch (error) {
    if (!(error instanceof CommandError) || !/private/i.test(error.code)) throw error;
    throw new CommandError(
      'local',
      error.code,
      `${file} is a private key. Explaining needs only its public half, so nothing was done with it. ` +
        `Take that out with: openssl pkey -in ${file} -pubout -out public.pem`,
    );
  }
}
