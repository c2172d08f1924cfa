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
import { body, keyid, mustBe, partsOf, url } from './json-post.ts';
import { comparePair, type PairResult } from './paired.ts';

interface Sample {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  readonly pem: string;
  readonly signed: SignedRequest;
}

/** The message of all measurements, RSA-2048. */
function sample(): Sample {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = publicKey.export({ type: 'spki', format: 'pem' });
  const signed = createSigner({ keyid, privateKey }).sign({ method: 'POST', url, body });
  return { publicKey, privateKey, pem, signed };
}

/** Compares verifying and signing with the bare crypto and with other libraries. */
export async function benchLibrary(rounds: number): Promise<PairResult[]> {
  const { publicKey, privateKey, pem, signed } = sample();
  const { base, signature, received } = partsOf(signed);
  const clients = new Map([[keyid, { keys: [createVerificationKey(pem)] }]]);
  const verifyWith = (guard: ReplayGuard) => (): void => {
    // A request comes as an object of its own.
    mustBe(verifyRequest({ ...received }, { clientByKeyid: (id) => clients.get(id), guard }).ok);
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
  await compare('http-message-signatures verify, by ours', peerSignatures(pem, signed), verifyOurs, 300);
  await compare('http-message-sig verify, by ours', peerSig(publicKey, signed), verifyOurs, 50);
  return results;
}

/** The peer, configured as strictly as possible, plus the body digest that it leaves out. */
function peerSignatures(pem: string, signed: Sample['signed']): () => Promise<void> {
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
function peerSig(publicKey: Sample['publicKey'], signed: Sample['signed']): () => Promise<void> {
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
