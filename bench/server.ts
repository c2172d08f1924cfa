/**
 * The service under load, in a process of its own: `node bench/server.ts checked|crypto|unchecked payments|nothing`.
 *
 * `unchecked` is the same service without the checks; `crypto` does the bare crypto instead. `nothing`
 * responds with 204 instead of the sandbox. Everything else is the service's default: limits, the log, the
 * request log of the clients' owners.
 *
 * The variable BENCH_PRIVATE_KEY has the key of its client `bench`.
 */
import { createPublicKey, hash, verify } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations } from '@countersign/contract';
import { createSigner } from '@countersign/signature/node';
import { type Decision, decide } from '@countersign/gate';
import { loadConfiguration } from '../packages/server/src/configuration/load-at-once.ts';
import { createLogger } from '../packages/server/src/telemetry/logger.ts';
import { openLocalRegistry } from '../packages/server/src/registry/local-registry.ts';
import { startService } from '../packages/server/src/assembly/service.ts';
import type { Api } from '../packages/server/src/api/api.ts';
import { serveUntilStopped } from './child.ts';
import { baseUrl } from './signed-payment.ts';

const [mode, upstream] = process.argv.slice(2);
const dataFolder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
const privateKey = process.env['BENCH_PRIVATE_KEY']!;
const local = await openLocalRegistry({ dataFolder, createIfMissing: true });
await local.addClient({
  name: 'Bench',
  clientId: 'bench',
  publicKey: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }),
  network: [{ entry: '127.0.0.1' }],
  roles: ['payments-operator'],
});
await local.close();

const nothing: Api = {
  find: () => ({ operation: operations.createPayment, parameters: {}, handler: () => ({ status: 204 }) }),
};
/** The results of one complete decision, so that the other modes can continue without it. */
let sample: Decision['examination'] | undefined;
const { base, signature } = sampleSignature();
/** A decision that checks nothing, or only the given part, once a complete one has accepted a request. */
const decideBy =
  (check: (body: Uint8Array) => void): typeof decide =>
  (attempt, means) => {
    if (sample !== undefined) {
      return {
        examination: sample,
        key: () => sample!.client!.keys[0],
        head: () => undefined,
        body: (bytes) => {
          if (bytes instanceof Uint8Array) check(bytes);
          return undefined;
        },
        replay: () => undefined,
      };
    }
    const decision = decide(attempt, means);
    return {
      ...decision,
      head: () => {
        const refusal = decision.head();
        const { client, keyIndex } = decision.examination;
        // A key's first use is recorded in storage, a cost that later requests do not have.
        if (!refusal && client?.keys[keyIndex]?.isPending === false) sample = decision.examination;
        return refusal;
      },
    };
  };
const decisions: Record<string, typeof decide> = {
  checked: decide,
  // The unavoidable part of the checks, with everything prepared: one RSA verification, one digest of the body.
  crypto: decideBy((body) => {
    hash('sha256', body, 'buffer');
    if (!verify('sha256', base, sample!.client!.keys[0]!.keyObject, signature))
      throw new Error('must verify');
  }),
  unchecked: decideBy(() => undefined),
};
const configuration = loadConfiguration({
  COUNTERSIGN_PORT: '0',
  COUNTERSIGN_DATA_FOLDER: dataFolder,
  COUNTERSIGN_PUBLIC_BASE_URLS: baseUrl,
  // One client makes all requests; its limit is checked, but never reached.
  COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '10000000',
  COUNTERSIGN_CLIENT_REQUESTS_BURST_MAX: '10000000',
});
const service = await startService(configuration, createLogger('info', join(dataFolder, 'log.jsonl')), {
  decide: decisions[mode!]!,
  ...(upstream === 'nothing' && { api: nothing }),
});
await serveUntilStopped(Number(new URL(service.address).port));
await service.stop();
rmSync(dataFolder, { recursive: true, force: true });
process.exit(0);

function sampleSignature(): { base: Buffer; signature: Buffer } {
  const signer = createSigner({ keyid: 'bench', privateKey });
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
