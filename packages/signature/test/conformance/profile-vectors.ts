import { decodeBase64, readPublicKey } from '../../src/exports.ts';
import {
  type ConformanceTest,
  expectEqual,
  type Platform,
  type VectorClient,
  type VectorRequest,
  type VectorSource,
  type VerdictOf,
} from './platform.ts';

/** A case of `vectors/profile`, as far as it is looked at. */
export interface VectorCase {
  readonly id: string;
  /** `positive` if it must be accepted. */
  readonly kind: string;
  readonly title: string;
  readonly verify: {
    readonly now: number;
    readonly clients: readonly { clientId: string; publicKey: string }[];
  };
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly (readonly [string, string])[];
    readonly body: null | { readonly base64?: string; readonly file?: string };
  };
  readonly expect: { readonly class?: string; readonly alsoOk?: readonly string[] };
  readonly signer?: {
    readonly input: {
      method: string;
      url: string;
      privateKey: string;
      keyid: string;
      created: number;
      date: string;
    };
    readonly output: {
      signatureBase: string;
      contentDigest: string | null;
      signatureInput: string;
      signature: string;
    };
  };
}

/** A case with its request as it goes over the wire. */
export interface WireCase extends VectorCase {
  readonly wire: {
    readonly scheme: string;
    readonly host: string;
    readonly target: string;
    readonly wireable: boolean;
  };
}

type KeyTable = Record<string, { readonly publicKeyPem: string; readonly privateKeyPem: string }>;

/** The codes that fit a class of the vectors. The natural one is first. */
const codesOfClass: Record<string, readonly string[]> = {
  algorithm: ['algorithm_not_allowed'],
  components: ['components_invalid'],
  date_mismatch: ['date_mismatch'],
  date_window: ['date_mismatch'],
  digest_algorithm: ['digest_malformed'],
  digest_mismatch: ['digest_mismatch'],
  duplicate_header: ['signature_missing', 'date_invalid', 'digest_malformed'],
  in_future: ['created_in_future'],
  label: ['signature_malformed'],
  malformed_date: ['date_invalid'],
  malformed_digest: ['digest_malformed'],
  malformed_request: ['request_malformed'],
  malformed_signature: ['signature_malformed'],
  malformed_signature_input: ['signature_malformed'],
  missing_date: ['date_invalid'],
  missing_digest: ['digest_missing'],
  missing_signature: ['signature_missing'],
  missing_signature_input: ['signature_missing'],
  params: ['parameters_invalid'],
  signature_mismatch: ['signature_invalid'],
  too_old: ['created_expired'],
  unknown_client: ['signature_invalid'],
  // A key that must not be registered belongs to no client.
  weak_key: ['signature_invalid'],
};

/** Cases that an earlier check of ours rejects and the class names later: keyid has visible characters only. */
const earlier: Record<string, string> = { 'keyid/trailing-space': 'parameters_invalid' };

/** What section 2.3 of the profile decides for the open cases. */
const decided: Record<string, string> = {
  'tamper-signature/text-no-padding': 'signature_malformed',
  'tamper-signature/text-pad-bits': 'signature_malformed',
  'tamper-signature/params': 'signature_malformed',
  'components/no-date': 'components_invalid',
  'components/no-date-no-header': 'components_invalid',
  'components/no-date-get': 'components_invalid',
  'label/two-good': 'signature_malformed',
  'label/two-junk': 'signature_malformed',
  'crypto/missing-null': 'signature_invalid',
  'crypto/pss-oid-key': 'signature_invalid',
  'window/edge-future-60': 'ok',
  'keyid/quote-escaped': 'ok',
  'params/expires': 'parameters_invalid',
  'params/nonce': 'parameters_invalid',
  'params/tag': 'parameters_invalid',
  'params/unknown': 'parameters_invalid',
  'params/order-1': 'ok',
  'params/order-3': 'ok',
  'date/differs-120': 'date_mismatch',
  'digest/both-right': 'digest_malformed',
  'digest/wrong-512': 'digest_malformed',
  'digest/unpadded': 'digest_malformed',
  'digest/empty-body-covered': 'components_invalid',
  'target-open/default-port-signed': 'signature_invalid',
  'target-open/default-port-seen': 'signature_invalid',
  'target-open/http-80': 'signature_invalid',
  'target-open/upper-host-seen': 'signature_invalid',
  'target-open/empty-path': 'signature_invalid',
  'target-open/fragment': 'signature_invalid',
  'target-open/explicit-443': 'ok',
};

/** The tests of `vectors/profile` on one platform. */
export async function profileTests<Key>(
  platform: Platform<Key>,
  source: VectorSource,
): Promise<ConformanceTest[]> {
  const keys = ((await source.json('vectors/profile/keys.json')) as { keys: KeyTable }).keys;
  const verdict = verifier(platform, source, keys);
  const cases = async (part: string): Promise<VectorCase[]> =>
    ((await source.json(`vectors/profile/${part}.json`)) as { cases: VectorCase[] }).cases;

  const ofCurves = [...(await cases('ed25519')), ...(await cases('ecdsa'))];
  const isAccepted = ({ kind }: VectorCase): boolean => kind === 'positive';
  const tests: ConformanceTest[] = [];
  for (const one of [...(await cases('positive')), ...ofCurves.filter(isAccepted)]) {
    tests.push({
      name: `accepts ${one.id}: ${one.title}`,
      run: async () => expectEqual(outcome(await verdict(one)), 'ok', one.id),
    });
    // ECDSA signatures of one text differ.
    if (!one.signer) continue;
    tests.push({
      name: `signs ${one.id} byte for byte`,
      run: () => signsTheSame(platform, source, keys, one),
    });
  }
  for (const part of [
    await cases('negative'),
    await cases('fuzz'),
    ofCurves.filter((one) => !isAccepted(one)),
  ]) {
    for (const one of part) {
      const classes = [one.expect.class!, ...(one.expect.alsoOk ?? [])];
      const codes = earlier[one.id]
        ? [earlier[one.id]!]
        : classes.flatMap((name) => codesOfClass[name] ?? [`no codes for the class ${name}`]);
      tests.push({
        name: `refuses ${one.id}: ${one.title}`,
        run: async () => {
          const found = outcome(await verdict(one));
          if (!codes.includes(found)) expectEqual(found, codes.join(' or '), one.id);
        },
      });
    }
  }
  for (const one of await cases('policy')) {
    tests.push({
      name: `answers ${one.id} as decided: ${decided[one.id]}`,
      run: async () => expectEqual(outcome(await verdict(one)), decided[one.id], one.id),
    });
    if (one.id.startsWith('components/no-date')) {
      tests.push({
        name: `accepts ${one.id} of a client that may leave out date`,
        run: async () => expectEqual(outcome(await verdict(one, true)), 'ok', one.id),
      });
    }
  }
  return tests;
}

function verifier<Key>(platform: Platform<Key>, source: VectorSource, table: KeyTable) {
  const ready = new Map<string, Promise<readonly Key[]>>();
  const keysOf = (name: string): Promise<readonly Key[]> => {
    let keys = ready.get(name);
    if (!keys) ready.set(name, (keys = registeredKeys(platform, table[name]!.publicKeyPem)));
    return keys;
  };
  return async (one: VectorCase, acceptWithoutDate = false): Promise<VerdictOf> => {
    const clients = new Map<string, VectorClient<Key>>();
    for (const { clientId, publicKey } of one.verify.clients) {
      clients.set(clientId, { keys: await keysOf(publicKey), acceptWithoutDate });
    }
    const { method, url, headers } = one.request;
    const request: VectorRequest = { method, targetUri: url, headers, body: await bodyOf(one, source) };
    return platform.verify(request, clients, one.verify.now);
  };
}

/** The keys that registration accepts: those that exist to be rejected do not belong to their client. */
async function registeredKeys<Key>(platform: Platform<Key>, pem: string): Promise<readonly Key[]> {
  return readPublicKey(pem).ok ? [await platform.createVerificationKey(pem)] : [];
}

async function signsTheSame<Key>(
  platform: Platform<Key>,
  source: VectorSource,
  keys: KeyTable,
  one: VectorCase,
): Promise<void> {
  const { input, output } = one.signer!;
  const signer = await platform.createSigner({
    keyid: input.keyid,
    privateKey: keys[input.privateKey]!.privateKeyPem,
  });
  const request = { method: input.method, url: input.url, body: await bodyOf(one, source) };
  const signed = await signer.sign(request, { created: input.created, date: input.date });
  expectEqual(signed.signatureBase, output.signatureBase, 'signature base');
  expectEqual(signed.headers['Content-Digest'] ?? null, output.contentDigest, 'Content-Digest');
  expectEqual(signed.headers['Signature-Input'], output.signatureInput, 'Signature-Input');
  expectEqual(signed.headers.Signature, output.signature, 'Signature');
  expectEqual(signed.headers.Date, input.date, 'Date');
  expectEqual(signed.method, input.method.toUpperCase(), 'method');
}

/** The body of a case; undefined for none. */
export async function bodyOf(one: VectorCase, source: VectorSource): Promise<Uint8Array | undefined> {
  const { body } = one.request;
  if (body === null) return undefined;
  if (body.file !== undefined) return source.bytes(`vectors/profile/${body.file}`);
  return decodeBase64(body.base64 ?? '');
}

function outcome(verdict: VerdictOf): string {
  return verdict.ok ? 'ok' : verdict.code;
}
