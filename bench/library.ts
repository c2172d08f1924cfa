import { createPrivateKey, generateKeyPairSync, hash, type KeyObject, sign, verify } from 'node:crypto';
import {
  acceptReplaysUnsafely,
  contentDigest,
  createSigner,
  createVerificationKey,
  type ReplayGuard,
  type SignedRequest,
  verifyRequest,
} from '@countersign/signature/node';
import { verifySignature } from 'http-message-sig';
import { createVerifier, httpbis } from 'http-message-signatures';
import { comparePair, type PairResult } from './paired.ts';

const keyid = 'client_01k9xq2v6h4mz7c1r8t0w5n3bd';
const url = 'https://api.example.com/v1/payments';

interface Sample {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  readonly pem: string;
  readonly body: Buffer;
  readonly signed: SignedRequest;
}

/** The message of all measurements: a JSON POST of 300 bytes, RSA-2048. */
function sample(): Sample {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const payment = { amount: 4200, currency: 'EUR', reference: 'invoice-2026-000123', description: '' };
  const empty = JSON.stringify(payment).length;
  const body = Buffer.from(JSON.stringify({ ...payment, description: 'x'.repeat(300 - empty) }));
  const pem = publicKey.export({ type: 'spki', format: 'pem' });
  const signed = createSigner({ keyid, privateKey }).sign({ method: 'POST', url, body });
  return { publicKey, privateKey, pem, body, signed };
}

/** Compares verifying and signing with the bare crypto and with other libraries. */
export async function benchLibrary(rounds: number): Promise<PairResult[]> {
  const { publicKey, privateKey, pem, body, signed } = sample();
  const rawHeaders = [
    'Host',
    'api.example.com',
    'User-Agent',
    'bench/1',
    'Accept',
    '*/*',
    'Content-Type',
    'application/json',
    'Content-Length',
    '300',
    ...Object.entries(signed.headers).flat(),
  ];
  const clients = new Map([[keyid, { keys: [createVerificationKey(pem)] }]]);
  const verifyWith = (guard: ReplayGuard) => (): void => {
    const request = { method: 'POST', targetUri: url, headers: rawHeaders, body };
    mustBe(verifyRequest(request, { clientByKeyid: (id) => clients.get(id), guard }).ok);
  };
  const verifyOurs = verifyWith(acceptReplaysUnsafely);
  // A guard that hashes and looks up like the real one, but has nothing to forget between rounds.
  const seen = new Map<string, number>();
  const verifyGuarded = verifyWith({
    use: ({ id }) => {
      seen.set(id, 1);
      return undefined;
    },
  });

  const base = Buffer.from(signed.signatureBase);
  const signature = Buffer.from(signed.headers.Signature.slice('sig=:'.length, -1), 'base64');
  const verifyFloor = (): void => {
    hash('sha256', body, 'buffer');
    mustBe(verify('sha256', base, publicKey, signature));
  };
  let count = 0;
  const signer = createSigner({ keyid, privateKey });
  const signOurs = (): SignedRequest => signer.sign({ method: 'POST', url: `${url}?n=${count++}`, body });
  const keyObject = createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const signFloor = (): Buffer => {
    hash('sha256', body, 'buffer');
    return sign('sha256', base, keyObject);
  };

  const results: PairResult[] = [];
  const compare = async (
    name: string,
    subject: () => unknown,
    reference: () => unknown,
    runs: number,
  ): Promise<void> => {
    results.push(await comparePair({ name, subject, reference }, rounds, runs));
  };
  await compare('verify, by bare crypto', verifyOurs, verifyFloor, 100);
  await compare('verify with the replay id, by bare crypto', verifyGuarded, verifyFloor, 100);
  await compare('sign, by bare crypto', signOurs, signFloor, 25);
  await compare(
    'http-message-signatures verify, by ours',
    peerSignatures(pem, body, signed),
    verifyOurs,
    300,
  );
  await compare('http-message-sig verify, by ours', peerSig(publicKey, body, signed), verifyOurs, 50);
  return results;
}

/** The peer, configured as strictly as possible, plus the body digest that it leaves out. */
function peerSignatures(pem: string, body: Buffer, signed: Sample['signed']): () => Promise<void> {
  const headers: Record<string, string> = {
    Host: 'api.example.com',
    'Content-Type': 'application/json',
    ...Object.fromEntries(Object.entries(signed.headers)),
  };
  const key = { id: keyid, algs: ['rsa-v1_5-sha256'], verify: createVerifier(pem, 'rsa-v1_5-sha256') };
  return async () => {
    const ok = await httpbis.verifyMessage(
      {
        keyLookup: async (parameters) => (parameters.keyid === keyid ? key : null),
        maxAge: 300,
        tolerance: 60,
        requiredParams: ['created', 'keyid', 'alg'],
        requiredFields: ['@method', '@target-uri', 'content-digest', 'date'],
      },
      { method: 'POST', url, headers },
    );
    mustBe(ok === true && contentDigest(body) === signed.headers['Content-Digest']);
  };
}

/** The peer with its own strict policy, and our RSA operation, which it leaves to the caller. */
function peerSig(
  publicKey: Sample['publicKey'],
  body: Buffer,
  signed: Sample['signed'],
): () => Promise<void> {
  const fields = Object.entries({
    Host: 'api.example.com',
    'Content-Type': 'application/json',
    ...signed.headers,
  }).map(([name, value]) => ({ name, value }));
  const verifier = {
    algorithm: 'rsa-v1_5-sha256',
    verify: (data: Uint8Array, signature: Uint8Array) => verify('sha256', data, publicKey, signature),
  };
  return async () => {
    const verified = await verifySignature(
      { kind: 'request', method: 'POST', targetUri: url, fields },
      {
        label: 'sig',
        policy: {
          algorithms: ['rsa-v1_5-sha256'],
          requiredComponents: ['@method', '@target-uri', 'content-digest', 'date'],
          requiredParameters: ['created', 'keyid', 'alg'],
          maxAge: 300,
          clockSkew: 60,
        },
        resolveVerifier: () => verifier,
      },
    );
    mustBe(verified.label === 'sig' && contentDigest(body) === signed.headers['Content-Digest']);
  };
}

/** Makes sure that it works: a benchmark of something broken measures nothing. */
function mustBe(ok: boolean): void {
  if (!ok) throw new Error('A verification that must succeed failed.');
}
