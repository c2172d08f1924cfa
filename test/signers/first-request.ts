import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '@countersign/testing/free-port';
import { keyPair, runService } from '@countersign/testing/running-service';
import { readSnippets } from '../../packages/portal/documents/snippets.ts';
import { snippetCode } from '../../packages/portal/src/snippets/snippet.ts';
import { oddClientId, oddFile } from '../../packages/portal/test/odd-values.ts';
import { runScript, type ScriptEnd, type SignerPackage } from './packages.ts';

/**
 * Runs the program that `docs/signing` and the portal show, filled in by the portal for a client whose ID and key file are
 * full of special characters: once as this client, once as one that does not exist.
 */
export async function sendFirstRequests(
  one: SignerPackage,
): Promise<{ readonly accepted: ScriptEnd; readonly rejected: ScriptEnd }> {
  const snippet = readSnippets().find(({ id }) => id === one.language)?.withPackage;
  if (snippet === undefined) throw new Error(`The portal has no example for ${one.language}.`);
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const service = await runService({
    COUNTERSIGN_PORT: String(port),
    COUNTERSIGN_PUBLIC_BASE_URLS: baseUrl,
  });
  const folder = await mkdtemp(join(tmpdir(), 'countersign-first-'));
  try {
    await service.addClient({ clientId: oddClientId });
    const runAs = async (clientId: string): Promise<ScriptEnd> => {
      const place = await mkdtemp(join(folder, 'run-'));
      const program = join(place, snippet.fileName);
      await mkdir(dirname(program), { recursive: true });
      await writeFile(join(place, oddFile), keyPair.privateKey, { mode: 0o600 });
      await writeFile(program, snippetCode(snippet, { baseUrl, clientId, privateKeyFile: oddFile }));
      return runScript(one, 'first-request.sh', [place]);
    };
    return { accepted: await runAs(oddClientId), rejected: await runAs('client_nobody') };
  } finally {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  }
}
