/**
 * The service under load, in a process of its own: `node bench/server.ts checked|crypto|unchecked payments|nothing`.
 *
 * `unchecked` is the same service with the checks of `access/` left out; `crypto` does the bare crypto in their place.
 * `nothing` answers 204 in place of the sandbox. Everything else is as the service has it by itself: limits, the log, the
 * request log of the clients' owners.
 *
 * The variable BENCH_PRIVATE_KEY has the key of its client `bench`. Prints its port, then serves until its standard input
 * closes.
 */
import { once } from 'node:events';
import { createPublicKey, hash, verify } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations } from '@countersign/contract';
import { createSigner } from '@countersign/signature/node';
import { accept, type AccessChecks, admit } from '../packages/gate/src/decision/checks.ts';
import type { Admission } from '../packages/gate/src/decision/decision.ts';
import { loadConfiguration } from '../packages/server/src/configuration/load.ts';
import { createLogger } from '../packages/server/src/telemetry/logger.ts';
import { openLocalRegistry } from '../packages/server/src/registry/local-registry.ts';
import { startService } from '../packages/server/src/service.ts';
import type { Api } from '../packages/server/src/api/api.ts';
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
/** A request that was checked once, so that the other modes have something to go on with. */
let sample: Admission | undefined;
const { base, signature } = sampleSignature();
const admitted: AccessChecks['admit'] = (attempt, dependencies) => {
  if (sample !== undefined) return { ...sample, attempt };
  const admission = admit(attempt, dependencies);
  // A key that has only begun to be used is noted in storage, which no later request costs.
  if (admission.ok && !admission.key.isPending) sample = admission;
  return admission;
};
const checksOf: Record<string, AccessChecks> = {
  checked: { admit, accept },
  // What no checks can do without, with everything ready: one RSA verification, one digest of the body.
  crypto: {
    admit: admitted,
    accept: (admission, body) => {
      hash('sha256', body, 'buffer');
      if (!verify('sha256', base, admission.key.keyObject, signature)) throw new Error('must verify');
      return undefined;
    },
  },
  unchecked: { admit: admitted, accept: () => undefined },
};
const configuration = loadConfiguration({
  COUNTERSIGN_PORT: '0',
  COUNTERSIGN_DATA_FOLDER: dataFolder,
  COUNTERSIGN_PUBLIC_BASE_URLS: baseUrl,
});
const service = await startService(configuration, createLogger('info', join(dataFolder, 'log.jsonl')), {
  checks: checksOf[mode!]!,
  ...(upstream === 'nothing' && { api: nothing }),
});
console.log(new URL(service.address).port);

process.stdin.resume();
await once(process.stdin, 'close');
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
