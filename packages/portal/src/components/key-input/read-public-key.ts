import {
  decodeBase64,
  describeKey,
  everyKeySize,
  keyFingerprint,
  type PublicKeyRefusalCode,
} from '@countersign/signature';
import {
  type KeyText,
  type OfferedKeyReading,
  type OfferedPublicKey,
  readKeyText,
  readOfferedKeyInTurns,
} from '@countersign/signature/keys';
import { formatNumber } from '#messages/plural.ts';
import type { KeyProblem } from '#messages/key-input.ts';
import type { AcceptedKey } from './key-input-state.ts';
import { recognizePrivateKey } from './private-key-reading.ts';
import type { KeyReading } from './read-key-text.ts';

/** Reads a text that does not look like a private key, and yields to the page while it checks the key. */
export async function readPublicKeyText(text: string, rejectsPss: boolean): Promise<KeyReading> {
  const policy = { ...everyKeySize, rejectsPss };
  const reading: OfferedKeyReading = await readOfferedKeyInTurns(text, policy, nextTask);
  if (reading.ok) return { kind: 'accepted', key: await acceptedKey(reading.key) };
  if (reading.code === 'private_key') return recognizePrivateKey(text);
  return { kind: 'refused', problem: refineProblem(reading.code, text), advice: reading.message };
}

/** Encodes the key for sending. */
export async function acceptedKey(key: OfferedPublicKey): Promise<AcceptedKey> {
  return {
    publicKeyPem: key.spkiPem,
    fingerprint: await keyFingerprint(key).catch(() => undefined),
    description: describeKey(key, formatNumber),
    format: key.format,
    kind: key.kind,
    claimed: key.claimed,
  };
}

/** Resolves in a later task. Not by a timer: browsers delay nested ones by 4 ms each, and a key takes dozens. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(undefined);
  });
}

type OtherAlgorithm = 'elliptic_curve' | 'edwards_curve' | 'dsa' | 'security_token' | 'symmetric';
type OddText =
  | 'fingerprint'
  | 'file_name'
  | 'client_id'
  | 'certificate_request'
  | 'certificate_chain'
  | 'pgp_key'
  | 'cut_off';

/** Replaces a rejection code by a more specific one, based on the text. */
function refineProblem(code: Exclude<PublicKeyRefusalCode, 'private_key'>, text: string): KeyProblem {
  const trimmed = text.trim();
  if (code === 'not_rsa') return otherAlgorithm(trimmed) ?? code;
  if (code === 'several_keys') return trimmed.includes('CERTIFICATE') ? 'certificate_chain' : code;
  if (code !== 'key_malformed') return code;
  const odd = oddTexts.find(({ sign }) => sign.test(trimmed))?.problem;
  return odd ?? (otherFormats.has(readKeyText(trimmed).kind) ? 'other_format' : code);
}

/** Wrappings of keys that are recognized, but not read. */
const otherFormats: ReadonlySet<KeyText['kind']> = new Set(['ssh2', 'putty', 'xml', 'printout']);

/** The first match wins. */
const oddTexts: readonly { readonly problem: OddText; readonly sign: RegExp }[] = [
  { problem: 'fingerprint', sign: /^(?:SHA256:[\w+/=-]{20,64}|(?:[0-9a-f]{2}:){15,}[0-9a-f]{2})$/i },
  { problem: 'client_id', sign: /^client_[0-9a-z]{26}$/ },
  { problem: 'file_name', sign: /^\S{0,200}\.(?:pem|pub|crt|cer|der|key|jwk|json)$/i },
  { problem: 'certificate_request', sign: /BEGIN (?:NEW )?CERTIFICATE REQUEST/ },
  { problem: 'certificate_chain', sign: /BEGIN PKCS7/ },
  { problem: 'pgp_key', sign: /BEGIN PGP/ },
  { problem: 'cut_off', sign: /^(?!(?=[^]*-----BEGIN)(?=[^]*-----END))[^]*-----(?:BEGIN|END)/ },
];

function otherAlgorithm(text: string): OtherAlgorithm | undefined {
  const name = algorithmNames.find(({ sign }) => sign.test(text));
  return name?.algorithm ?? algorithmOfDer(text);
}

const algorithmNames: readonly { readonly algorithm: OtherAlgorithm; readonly sign: RegExp }[] = [
  { algorithm: 'security_token', sign: /^sk-/ },
  { algorithm: 'elliptic_curve', sign: /^ecdsa-|BEGIN EC |"kty"\s*:\s*"EC"/ },
  { algorithm: 'edwards_curve', sign: /^ssh-ed|"kty"\s*:\s*"OKP"/ },
  { algorithm: 'dsa', sign: /^ssh-dss|BEGIN DSA / },
  { algorithm: 'symmetric', sign: /"kty"\s*:\s*"oct"/ },
];

/** Finds the algorithm in the first bytes of a SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7). */
function algorithmOfDer(text: string): OtherAlgorithm | undefined {
  const bytes = decodeBase64(text.replace(/-----[^-]*-----|[ \t\r\n]/g, ''));
  if (bytes === undefined) return undefined;
  const start = Array.from(bytes.subarray(0, 64), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return algorithmIdentifiers.find(({ encoded }) => start.includes(encoded))?.algorithm;
}

/** Encoded OBJECT IDENTIFIERs: RFC 3279 sections 2.3.2 and 2.3.5, RFC 8410 section 3. */
const algorithmIdentifiers: readonly { readonly algorithm: OtherAlgorithm; readonly encoded: string }[] = [
  { algorithm: 'elliptic_curve', encoded: '06072a8648ce3d0201' },
  { algorithm: 'dsa', encoded: '06072a8648ce380401' },
  { algorithm: 'edwards_curve', encoded: '06032b6570' },
  { algorithm: 'edwards_curve', encoded: '06032b6571' },
  { algorithm: 'edwards_curve', encoded: '06032b656e' },
];
