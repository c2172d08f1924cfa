/** The kind of a private key, so that people know which file it was. */
export type PrivateKeyForm = keyof typeof privateKeyForms;

const privateKeyForms = {
  encrypted: 'an encrypted private key',
  pkcs8: 'a private key (PKCS#8)',
  pkcs1: 'a private key (PKCS#1)',
  openssh: 'a private key of OpenSSH',
  putty: 'a private key of PuTTY',
  ec: 'a private key for elliptic curves',
  dsa: 'a private key for DSA',
  jwk: 'a private key as JWK',
  xml: 'a private key as XML',
  pgp: 'a private key of PGP',
  'key-store': 'a key store with a private key (PKCS#12)',
  unknown: 'a private key',
};

/** The reasons for rejecting a text, as detailed as helps people. */
export type KeyProblem = keyof typeof problemTitles;

const problemTitles = {
  key_missing: 'There is no key in this text',
  key_malformed: 'This is not a public key that can be read',
  several_keys: 'There is more than one key in this text',
  not_rsa: 'This is not an RSA key',
  elliptic_curve: 'This is an elliptic-curve key, not an RSA key',
  edwards_curve: 'This is an Ed25519 or similar key, not an RSA key',
  dsa: 'This is a DSA key, not an RSA key',
  security_token: 'This is the key of a security token, not a plain RSA key',
  symmetric: 'This is a shared secret, not a public key',
  pss_only: 'This RSA key is restricted to PSS signatures',
  modulus_too_small: 'This RSA key is too small',
  modulus_too_large: 'This RSA key is too large',
  exponent_not_allowed: 'This RSA key has an unusual exponent',
  modulus_weak_small_factor: 'This RSA key is weak: anybody could compute its private half',
  modulus_weak_close_primes: 'This RSA key is weak: its primes are too close together',
  modulus_weak_roca: 'This RSA key is weak: it was made with the ROCA flaw',
  modulus_weak_prime: 'This RSA key is weak: its modulus is a prime',
  modulus_even: 'This RSA key is damaged',
  published_test_key: 'This is a test key that everybody has',
  fingerprint: 'This is the fingerprint of a key, not the key',
  file_name: 'This is the name of a file, not its content',
  client_id: 'This is a clientId, not a key',
  certificate_request: 'This is a request for a certificate',
  certificate_chain: 'There is more than one certificate in this text',
  pgp_key: 'This is a PGP key',
  other_format: 'This key is in a form that is not read here',
  cut_off: 'This key is cut off',
  file_unreadable: 'The file could not be read',
  file_too_large: 'This file is too large for a key',
  registered_already: 'This key is registered already',
  refused_by_service: 'The service does not accept this key',
};

/** Advice on problems that the key reader does not explain. */
const advice: Readonly<Partial<Record<KeyProblem, string>>> = {
  fingerprint: 'A fingerprint only names a key. Paste the public key itself: the text in public.pem.',
  file_name: 'Open the file and paste the text that is in it, or choose the file in the tab Upload.',
  client_id: 'The service makes the clientId. Paste the public key here: the text in public.pem.',
  certificate_chain: 'Paste the certificate of your program alone, without those of the issuers.',
  file_unreadable: 'Choose the file again, or paste its text.',
  file_too_large: 'Choose the file of one public key: it has a few hundred bytes.',
};

const formats = {
  spki: 'RSA public key',
  pkcs1: 'RSA public key (PKCS#1)',
  certificate: 'RSA public key of a certificate',
  jwk: 'RSA public key of a JWK',
  'ssh-rsa': 'RSA public key of SSH',
};

const formatHints: Readonly<Partial<Record<keyof typeof formats, string>>> = {
  certificate: 'Only the key is used: names, dates and issuer of the certificate count for nothing here.',
  'ssh-rsa': 'Sign with the private half in its PEM form; the comment of the line is left out.',
};

export const keyInput = {
  fieldLabel: 'Public key',
  waysLabel: 'How to give the public key',
  ways: { paste: 'Paste', upload: 'Upload', generate: 'Generate here', commandLine: 'Command line' },
  paste: {
    placeholder: '-----BEGIN PUBLIC KEY-----',
    hint: 'PEM, one line of Base64, a certificate, a JWK or an ssh-rsa line. Never the private key.',
  },
  upload: {
    title: 'Choose the file of the public key',
    drop: 'or drop it here',
    hint: 'public.pem, .crt, .der, .jwk or id_rsa.pub. It is read in this page.',
    chosen: (name: string): string => `From the file ${name}`,
  },
  accepted: {
    kind: (format: keyof typeof formats): string => formats[format],
    hint: (format: keyof typeof formats): string | undefined => formatHints[format],
    title: (kind: string, bits: number): string => `${kind}, ${bits} bits`,
    fingerprint: 'Fingerprint',
    noFingerprint: 'The fingerprint is shown after you have added the key.',
  },
  refused: {
    title: (problem: KeyProblem): string => problemTitles[problem],
    advice: (problem: KeyProblem): string | undefined => advice[problem],
  },
  registeredFor: (clientId: string): string =>
    `The client ${clientId} has it, or had it. A key is registered once in an account, and a revoked one never comes back: make a new key pair.`,
  privateKey: {
    title: (form: PrivateKeyForm, bits: number | undefined): string =>
      `That was ${privateKeyForms[form]}${bits === undefined ? '' : ` with ${bits} bits`}`,
    notSent: 'It was not sent, and the field is empty again. Nothing of it is kept.',
    publicHalf: 'What belongs here is its public half. This command prints it:',
    command: 'command',
    otherKind: 'It could not be used here either way: the service takes RSA keys. Make a new pair.',
    leaked:
      'A private key stays on the machine that signs. If somebody sent you this one, it is known to others: make a new pair.',
    generate: 'Generate a new pair here',
  },
  generate: {
    intro: 'The key pair is made in this browser. Only the public half is sent to the service.',
    size: 'Size in bits',
    sizeHint: '3072 suits most programs. 4096 signs about twice as slowly.',
    action: 'Generate key pair',
    working: 'Making the key pair…',
    done: 'The key pair is made. Save the private key now.',
    failed: 'The key pair could not be made. Try again, or use the command line.',
    unavailable:
      'Browsers make keys only on pages with HTTPS, and on localhost. Use the command line, then paste the public key.',
  },
  generated: {
    title: 'Save the private key now',
    saved: 'The private key is saved',
    explanation:
      'Your program signs with it. It exists only in this page: the service never gets it and cannot show it again.',
    form: 'Form of the private key',
    forms: { pem: 'PEM file', line: 'One line' },
    formHints: {
      pem: 'PKCS#8 as PEM, as most libraries read it.',
      line: 'The same key as one line of Base64, for environment variables and secret stores.',
    },
    download: 'Download private key',
    copy: 'Copy private key',
    copied: 'The private key is copied. Clear the clipboard when you have saved it.',
    copyFailed: 'The browser did not allow copying. Download the file instead.',
    show: 'Show private key',
    hide: 'Hide private key',
    shownLabel: 'Private key',
    confirm: 'I have saved the private key',
    confirmFirst: 'Download or copy the private key first.',
    gate: 'Save the private key and confirm it: it is lost when you leave.',
    discard: 'Discard this key pair',
  },
  discard: {
    title: 'Discard the key pair?',
    text: 'The private key is forgotten. Nothing has been registered, so nothing else changes.',
    confirm: 'Discard',
  },
  commandLine: {
    intro: 'Run this where your program will sign. The private key never leaves that machine.',
    make: 'Make the private key',
    publicHalf: 'Write its public half to public.pem',
    fingerprint: 'Show its fingerprint, to compare it here',
    next: 'Then paste or upload public.pem.',
    paste: 'Paste public.pem',
    upload: 'Upload public.pem',
    copy: 'Copy command',
  },
  blockers: {
    reading: 'The key is still being read.',
    'key-not-accepted': 'The public key cannot be used as it is.',
    'private-key-not-saved': 'Save the private key first, and confirm it.',
  },
} as const;
