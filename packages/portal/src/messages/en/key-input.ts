import { keyTitles, signingAlgorithms } from '@countersign/contract/signing-algorithms';
import type { PublicKeyFormat } from '@countersign/signature';
import type { KeyChoice } from '../../components/key-input/generate-key-pair.ts';
import { formatNumber } from './plural.ts';

/** The kind of a private key, so that people know which file it was. */
export type PrivateKeyForm = keyof typeof privateKeyForms;

const privateKeyForms = {
  encrypted: 'an encrypted private key',
  pkcs8: 'a private key (PKCS#8)',
  pkcs1: 'a private key (PKCS#1)',
  openssh: 'an OpenSSH private key',
  putty: 'a PuTTY private key',
  ec: 'an elliptic-curve private key',
  dsa: 'a DSA private key',
  jwk: 'a private key (JWK)',
  xml: 'a private key (XML)',
  pgp: 'a PGP private key',
  'key-store': 'a PKCS#12 key store with a private key',
  unknown: 'a private key',
};

/** The reasons for rejecting a text, as detailed as helps people. */
export type KeyProblem = keyof typeof problemTitles;

const problemTitles = {
  key_missing: 'There is no key in this text',
  key_malformed: 'We couldn’t read a public key in this text',
  several_keys: 'There is more than one key in this text',
  not_rsa: `This is not an ${keyTitles} key`,
  elliptic_curve: 'This elliptic-curve key can’t be used',
  edwards_curve: 'This is an Ed448, X25519 or similar key, not an Ed25519 key',
  dsa: `This is a DSA key, not an ${keyTitles} key`,
  security_token: 'This is a security-token key, which can sign only for SSH and for web pages',
  symmetric: 'This is a shared secret, not a public key',
  pss_only: 'This RSA key is restricted to PSS signatures',
  modulus_too_small: 'This RSA key is too small',
  modulus_too_large: 'This RSA key is too large',
  exponent_not_allowed: 'This RSA key has an unusual exponent',
  modulus_weak_small_factor: 'This RSA key is weak: anyone can compute its private key',
  modulus_weak_close_primes: 'This RSA key is weak: its primes are too close together',
  modulus_weak_roca: 'This RSA key is weak: it was generated with the ROCA flaw',
  modulus_weak_prime: 'This RSA key is weak: its modulus is a prime',
  modulus_even: 'This RSA key is damaged',
  published_test_key: 'This is a published test key',
  fingerprint: 'This is a key’s fingerprint, not the key',
  file_name: 'This is a file name, not a key',
  client_id: 'This is a client ID, not a key',
  certificate_request: 'This is a certificate request',
  certificate_chain: 'There is more than one certificate in this text',
  pgp_key: 'This is a PGP key',
  other_format: 'This key format is not supported',
  cut_off: 'This key is incomplete',
  file_unreadable: 'The file could not be read',
  reader_not_loaded: 'The key couldn’t be checked',
  file_too_large: 'This file is too large to be a key',
  registered_already: 'This key is already registered',
  refused_by_service: 'The service does not accept this key',
};

/** Advice on problems that the key reader does not explain. */
const advice: Readonly<Partial<Record<KeyProblem, string>>> = {
  fingerprint:
    'A fingerprint only identifies a key. Paste the public key itself: the contents of public.pem.',
  file_name: 'Open the file and paste its contents, or choose the file under Upload.',
  client_id: 'The service assigns the client ID. Paste the public key here: the contents of public.pem.',
  certificate_chain: 'Paste only your application’s certificate, without its issuers.',
  file_unreadable: 'Choose the file again, or paste its contents.',
  reader_not_loaded: 'Check your connection, then enter the key again.',
  file_too_large: 'Choose a file with a single public key. It is usually well under 1 kB.',
};

const formats: Readonly<Record<PublicKeyFormat, string>> = {
  spki: 'Public key',
  pkcs1: 'Public key (PKCS#1)',
  certificate: 'Public key (certificate)',
  jwk: 'Public key (JWK)',
  'ssh-rsa': 'Public key (SSH)',
  'ssh-ed25519': 'Public key (SSH)',
  'ecdsa-sha2-nistp256': 'Public key (SSH)',
  'ecdsa-sha2-nistp384': 'Public key (SSH)',
};

const signWithPem = 'Sign with the private key in PEM format. The comment is ignored.';

const formatHints: Readonly<Partial<Record<PublicKeyFormat, string>>> = {
  certificate: 'Only the key is used. The certificate’s names, dates and issuer are ignored.',
  'ssh-rsa': signWithPem,
  'ecdsa-sha2-nistp256': signWithPem,
  'ecdsa-sha2-nistp384': signWithPem,
  // ssh-keygen leaves Ed25519 keys in their own format, whatever it is asked for.
  'ssh-ed25519':
    'Sign with the private key in PEM format, if you can: OpenSSH writes Ed25519 keys only in its own. The comment is ignored.',
};

export const keyInput = {
  fieldLabel: 'Public key',
  waysLabel: 'How to enter the public key',
  ways: { paste: 'Paste', upload: 'Upload', generate: 'Generate here', commandLine: 'Command line' },
  paste: {
    placeholder: '-----BEGIN PUBLIC KEY-----',
    hint: 'PEM, Base64 on one line, a certificate, a JWK, or a line from an OpenSSH .pub file. Never a private key.',
  },
  upload: {
    title: 'Choose the public key file',
    drop: 'or drop it here',
    hint: 'public.pem, .crt, .der, .jwk, or a .pub file of OpenSSH. The file is read in your browser.',
    chosen: (name: string): string => `From ${name}`,
  },
  accepted: {
    hint: (format: PublicKeyFormat): string | undefined => formatHints[format],
    title: (format: PublicKeyFormat, description: string): string => `${formats[format]}: ${description}`,
    fingerprint: 'Fingerprint',
    noFingerprint: 'The fingerprint appears once you have added the key.',
  },
  refused: {
    title: (problem: KeyProblem): string => problemTitles[problem],
    advice: (problem: KeyProblem): string | undefined => advice[problem],
  },
  algorithm: {
    label: 'What the key signs with',
    hint: 'Later signatures by any other algorithm are rejected. It can’t be changed.',
    option: (name: string, scheme: string): string => `${scheme} (${name})`,
    notInProfile: 'The client’s profile doesn’t sign with a key like this one.',
  },
  registeredFor: (clientId: string): string =>
    `It belongs, or belonged, to the client ${clientId}. You can register a key only once in an account, even if it was revoked. Create a new key pair.`,
  privateKey: {
    title: (form: PrivateKeyForm, bits: number | undefined): string =>
      `That was ${privateKeyForms[form]}${bits === undefined ? '' : ` with ${bits} bits`}`,
    notSent: 'It was not sent or stored, and the field has been cleared.',
    publicHalf: 'Enter the public key instead. This command prints it:',
    command: 'command',
    otherKind: (form: PrivateKeyForm): string =>
      form === 'pgp'
        ? 'PGP keys don’t work here. Create a new key pair.'
        : `It wouldn’t work here, because a client’s key must be ${keyTitles}. Create a new key pair.`,
    leaked:
      'A private key should never leave the machine that signs. If someone sent you this one, it is compromised: create a new key pair.',
    generate: 'Generate a key pair here',
  },
  generate: {
    intro: 'The key pair is generated in this browser. Only the public key is sent to the service.',
    kind: 'Kind of key',
    choice: (choice: KeyChoice): string =>
      typeof choice === 'number' ? `RSA, ${formatNumber(choice)} bits` : signingAlgorithms[choice].keyTitle,
    kindHint: (choice: KeyChoice): string =>
      typeof choice === 'number'
        ? 'RSA with 3,072 bits is right for most applications. Signing with 4,096 takes about twice as long.'
        : `Short signatures, quick to make. Check first that your signing library has ${signingAlgorithms[choice].keyTitle}.`,
    action: 'Generate key pair',
    working: 'Generating the key pair…',
    done: 'The key pair was generated. Save the private key now.',
    failed: (choice: KeyChoice): string =>
      choice === 'ed25519'
        ? 'The key pair could not be generated. This browser may not have Ed25519 yet. Choose another kind, or use the command line.'
        : 'The key pair could not be generated. Try again, or use the command line.',
    unavailable:
      'Browsers generate keys only on HTTPS pages and on localhost. Use the command line, then paste the public key.',
  },
  generated: {
    title: 'Save the private key now',
    saved: 'Private key saved',
    explanation:
      'Your application signs with it. It exists only on this page. The service never receives it and can’t show it again.',
    form: 'Private key format',
    forms: { pem: 'PEM file', line: 'One line' },
    formHints: {
      pem: 'PKCS#8 in PEM, which most libraries can read.',
      line: 'The same key as Base64 on one line, for environment variables and secret stores.',
    },
    download: 'Download private key',
    copy: 'Copy private key',
    copied: 'Private key copied. Clear the clipboard once you have saved it.',
    copyFailed: 'The browser did not allow copying. Download the file instead.',
    show: 'Show private key',
    hide: 'Hide private key',
    shownLabel: 'Private key',
    confirm: 'I have saved the private key',
    confirmFirst: 'Download or copy the private key first.',
    gate: 'Save the private key and confirm that you have. It is lost when you leave this page.',
    discard: 'Discard this key pair',
  },
  discard: {
    title: 'Discard this key pair?',
    text: 'The private key is deleted from this page. Nothing has been registered yet, so nothing else changes.',
    confirm: 'Discard',
  },
  commandLine: {
    intro: 'Run these commands on the machine that will sign. The private key never leaves it.',
    make: 'Create the private key',
    publicHalf: 'Write the public key to public.pem',
    fingerprint: 'Show the fingerprint, to compare it with the one here',
    next: 'Then paste or upload public.pem.',
    paste: 'Paste public.pem',
    upload: 'Upload public.pem',
    copy: 'Copy command',
  },
} as const;
