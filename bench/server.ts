/**
 * The server under load, a process of its own: `node bench/server.ts checked|crypto|unchecked payments|nothing`.
 *
 * `unchecked` is the same server with the checks of `access/` left out; `crypto` does the bare crypto in their place.
 * `nothing` answers 204 in place of the sandbox.
 * Prints one JSON line with its port, the client and its private key, then serves until its standard input closes.
 */
import { once } from 'node:events';
import { generateKeyPairSync, hash, verify } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NetworkWhitelist, operations } from '@countersign/contract';
import { createSigner, profileTimeWindow } from '@countersign/signature/node';
import { accept, type AccessChecks, admit } from '../packages/server/src/access/checks.ts';
import { createGateway } from '../packages/server/src/gateway.ts';
import { BaseUrls } from '../packages/server/src/http/base-urls.ts';
import { createListener } from '../packages/server/src/http/listener.ts';
import { createLogger } from '../packages/server/src/observe/logger.ts';
import { createPublicPages } from '../packages/server/src/public-pages.ts';
import { openLocalRegistry, databaseFileName } from '../packages/server/src/registry/local-registry.ts';
import { openMemoryRegistry } from '../packages/server/src/registry/memory-registry.ts';
import { PersistentReplayGuard } from '../packages/server/src/replay/persistent-guard.ts';
import { openDatabase } from '../packages/server/src/storage/database.ts';
import { type Api, createApi } from '../packages/server/src/upstream/api.ts';

const [mode, upstream] = process.argv.slice(2);
const baseUrl = 'https://api.example.com';
const dataFolder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
const pair = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const local = await openLocalRegistry({ dataFolder, createIfMissing: true });
const { clientId } = await local.addClient({
  name: 'Bench',
  publicKey: pair.publicKey,
  network: [{ entry: '127.0.0.1' }],
  roles: ['payments-operator'],
});
await local.close();

const database = await openDatabase({ file: join(dataFolder, databaseFileName) });
const registry = await openMemoryRegistry({
  database,
  monotonicNowMs: () => performance.now(),
  wallNowMs: Date.now,
  onError: (error) => console.error(error),
});
const guard = new PersistentReplayGuard(dataFolder, Math.floor(Date.now() / 1000));
const nothing: Api = {
  find: () => ({ operation: operations.createPayment, parameters: {}, handler: () => ({ status: 204 }) }),
};
const client = registry.clientById(clientId)!;
const admitted: AccessChecks['admit'] = (attempt) => ({
  ok: true,
  client,
  key: client.usableKeys[0]!,
  presented: { created: 0 } as never,
  attempt,
});
/** What no checks can do without, with everything ready: one RSA verification, one digest of the body. */
const { base, signature } = sampleSignature();
const checksOf: Record<string, AccessChecks> = {
  checked: { admit, accept },
  crypto: {
    admit: admitted,
    accept: (_, body) => {
      hash('sha256', body, 'buffer');
      if (!verify('sha256', base, client.usableKeys[0]!.keyObject, signature)) throw new Error('must verify');
      return undefined;
    },
  },
  unchecked: { admit: admitted, accept: () => undefined },
};
const gateway = createGateway({
  checks: checksOf[mode!]!,
  registry,
  guard,
  rules: { window: profileTimeWindow, nonce: 'off' },
  api: upstream === 'payments' ? createApi({ database }) : nothing,
  baseUrls: new BaseUrls([baseUrl]),
  trustedProxies: new NetworkWhitelist([]),
  bodyBytesMax: 1_048_576,
  problemTypeBase: `${baseUrl}/docs/errors`,
  nowMs: Date.now,
  logger: createLogger('info', join(dataFolder, 'log.jsonl')),
  answerPublic: createPublicPages(() => ({ ready: true }), [baseUrl]),
  isStopping: () => false,
});
const server = createListener(gateway, () => `${baseUrl}/docs/errors`);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
console.log(JSON.stringify({ port, clientId, privateKey: pair.privateKey }));

process.stdin.resume();
await once(process.stdin, 'close');
server.closeAllConnections();
server.close();
await registry.close();
await database.destroy();
rmSync(dataFolder, { recursive: true, force: true });
process.exit(0);

function sampleSignature(): { base: Buffer; signature: Buffer } {
  const signer = createSigner({ keyid: clientId, privateKey: pair.privateKey });
  const { signatureBase, headers } = signer.sign({
    method: 'POST',
    url: `${baseUrl}/v1/payments`,
    body: 'x'.repeat(300),
  });
  return {
    base: Buffer.from(signatureBase),
    signature: Buffer.from(headers.Signature.slice('sig=:'.length, -1), 'base64'),
  };
}
