import {
  decodeBase64,
  holdsPrivateKey,
  keyFingerprint,
  type PublicKeyReading,
  type PublicKeyRefusalCode,
  readPlainPrivateKey,
  readPublicKeyInTurns,
  type RsaPublicKey,
} from '@countersign/signature';
import type { KeyProblem, PrivateKeyForm } from '../../messages/en/key-input.ts';

/** Anything longer is not a key and not read. */
export const keyTextLengthMax: number = 64 * 1024;

/**
 * Recognizes a private key at once, before anything else sees the text. Returns what kind it is and nothing of its
 * content.
 */
export function privateKeyReading(text: string): Extract<KeyReading, { kind: 'private-key' }> | undefined {
  const looked = text.slice(0, keyTextLengthMax);
  return holdsPrivateKey(looked) ? { kind: 'private-key', ...recognisePrivateKey(looked) } : undefined;
}

/**
 * Reads a text as a public key without the service, and yields to the page while it checks the modulus. Accepts up to
 * 8192 bits, more than most services: the limit is the service's to enforce.
 */
export async function readKeyText(text: string): Promise<KeyReading> {
  const privateKey = privateKeyReading(text);
  if (privateKey !== undefined) return privateKey;
  if (text.trim() === '') return { kind: 'none' };
  const reading: PublicKeyReading = await readPublicKeyInTurns(text, { modulusBitsMax: 8192 }, nextTask);
  if (reading.ok) return { kind: 'accepted', key: await acceptedKey(reading.key) };
  if (reading.code === 'private_key') return { kind: 'private-key', ...recognisePrivateKey(text) };
  return { kind: 'refused', problem: refineProblem(reading.code, text), advice: reading.message };
}

/** Encodes the key for sending. */
export async function acceptedKey(key: RsaPublicKey): Promise<AcceptedKey> {
  return {
    publicKeyPem: key.spkiPem,
    fingerprint: await keyFingerprint(key).catch(() => undefined),
    modulusBits: key.modulusBits,
    format: key.format,
  };
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}

/** A public key re-encoded from its numbers, so nothing else of the pasted text is in it. */
export interface AcceptedKey {
  /** SubjectPublicKeyInfo in PEM. */
  readonly publicKeyPem: string;
  /** Undefined without WebCrypto, that is without HTTPS. */
  readonly fingerprint: string | undefined;
  readonly modulusBits: number;
  /** The format of the input. */
  readonly format: 'spki' | 'pkcs1' | 'certificate' | 'jwk' | 'ssh-rsa';
}

export type KeyReading =
  | { readonly kind: 'none' }
  | { readonly kind: 'reading' }
  /** Keeps nothing of the text, only its kind. */
  | { readonly kind: 'private-key'; readonly form: PrivateKeyForm; readonly modulusBits: number | undefined }
  | { readonly kind: 'refused'; readonly problem: KeyProblem; readonly advice: string }
  | { readonly kind: 'accepted'; readonly key: AcceptedKey };

/** The reason not to submit the form yet. */
type KeyBlocker = 'reading' | 'key-not-accepted' | 'private-key-not-saved';

/** The state that `KeyInput` reports to its form. */
export interface KeyInputState {
  readonly key: AcceptedKey | undefined;
  /** Undefined for an empty input. */
  readonly blocker: KeyBlocker | undefined;
  /** Leaving the page would lose something. */
  readonly isDirty: boolean;
}

export const emptyKeyInputState: KeyInputState = { key: undefined, blocker: undefined, isDirty: false };

/** Returns the kind of a private key, and its size if it is readable RSA. */
function recognisePrivateKey(text: string): {
  readonly form: PrivateKeyForm;
  readonly modulusBits: number | undefined;
} {
  const reading = readPlainPrivateKey(text);
  const found = forms.find(({ sign }) => sign.test(text))?.form;
  if (reading.ok) return { form: found ?? 'pkcs8', modulusBits: reading.modulusBits };
  if (reading.code === 'private_key_encrypted') return { form: 'encrypted', modulusBits: undefined };
  if (reading.code === 'format_not_supported' && found === undefined)
    return { form: 'key-store', modulusBits: undefined };
  return { form: found ?? 'unknown', modulusBits: undefined };
}

/** The first match counts. */
const forms: readonly { readonly form: PrivateKeyForm; readonly sign: RegExp }[] = [
  { form: 'encrypted', sign: /BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: *4,ENCRYPTED/ },
  { form: 'openssh', sign: /OPENSSH PRIVATE KEY|b3BlbnNzaC1rZXktdjE/ },
  { form: 'putty', sign: /PuTTY-User-Key-File/i },
  { form: 'pgp', sign: /PGP PRIVATE KEY/ },
  { form: 'ec', sign: /EC PRIVATE KEY/ },
  { form: 'dsa', sign: /DSA PRIVATE KEY/ },
  { form: 'pkcs1', sign: /RSA PRIVATE KEY/ },
  { form: 'pkcs8', sign: /BEGIN PRIVATE KEY/ },
  { form: 'xml', sign: /<\s*RSAKeyValue|<\s*RSAParameters|<\s*Modulus/i },
  { form: 'jwk', sign: /"kty"/ },
];

type OtherAlgorithm = 'elliptic_curve' | 'edwards_curve' | 'dsa' | 'security_token' | 'symmetric';
type OddText =
  | 'fingerprint'
  | 'file_name'
  | 'client_id'
  | 'certificate_request'
  | 'certificate_chain'
  | 'pgp_key'
  | 'other_format'
  | 'cut_off';

/** Narrows a refusal code down by what the text shows. */
function refineProblem(code: Exclude<PublicKeyRefusalCode, 'private_key'>, text: string): KeyProblem {
  const trimmed = text.trim();
  if (code === 'not_rsa') return otherAlgorithm(trimmed) ?? code;
  if (code === 'several_keys') return trimmed.includes('CERTIFICATE') ? 'certificate_chain' : code;
  if (code !== 'key_malformed') return code;
  return oddTexts.find(({ sign }) => sign.test(trimmed))?.problem ?? code;
}

/** The first match counts. */
const oddTexts: readonly { readonly problem: OddText; readonly sign: RegExp }[] = [
  { problem: 'fingerprint', sign: /^(?:SHA256:[\w+/=-]{20,64}|(?:[0-9a-f]{2}:){15,}[0-9a-f]{2})$/i },
  { problem: 'client_id', sign: /^client_[0-9a-z]{26}$/ },
  { problem: 'file_name', sign: /^\S{0,200}\.(?:pem|pub|crt|cer|der|key|jwk|json)$/i },
  { problem: 'certificate_request', sign: /BEGIN (?:NEW )?CERTIFICATE REQUEST/ },
  { problem: 'certificate_chain', sign: /BEGIN PKCS7/ },
  { problem: 'pgp_key', sign: /BEGIN PGP/ },
  { problem: 'other_format', sign: /^---- BEGIN|^PuTTY-|^<|^(?:RSA )?Public-Key:|^Modulus\b/ },
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
