import {
  describeKey,
  everyKeySize,
  keyFingerprint,
  readPublicKey,
  signatureAlgorithm,
} from '@countersign/signature/node';
import {
  algorithmNamed,
  alternatives,
  isKeyAlgorithm,
  type KeyAlgorithm,
  keyAlgorithmNames,
  keyAlgorithms,
} from '@countersign/signature/rfc9421';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { OptionTable } from '../arguments/options.ts';
import { type Command, defineCommand, type Invocation } from '../command.ts';
import { CommandError, usageError } from '../exits.ts';
import { checkedBits } from '../keys/checked-bits.ts';
import { makeKeyPair } from '../keys/make-key-pair.ts';
import { writeKeyPair } from '../keys/write-key-pair.ts';
import { findPassphrase } from '../signing/credentials.ts';
import { shellQuoted } from '../signing/curl-line.ts';
import type { Io } from '../terminal/io.ts';
import { fieldLines } from '../terminal/layout.ts';
import { coloursFor, writeJson } from '../terminal/report.ts';
import { visible } from '../terminal/visible.ts';

const options = {
  algorithm: {
    type: 'string',
    placeholder: 'NAME',
    help: `What the key signs with: ${alternatives(keyAlgorithmNames)}. Default ${signatureAlgorithm}.`,
  },
  bits: { type: 'string', placeholder: 'NUMBER', help: 'RSA key size: 2048 to 8192. Default 3072.' },
  out: { type: 'string', placeholder: 'FILE', help: 'Private key file to write. Default private.pem.' },
  'public-out': {
    type: 'string',
    placeholder: 'FILE',
    help: 'Public key file to write. Default public.pem.',
  },
  force: {
    type: 'boolean',
    help: 'Overwrite existing files. Anything that signs with the old key stops working.',
  },
  'passphrase-file': {
    type: 'string',
    placeholder: 'FILE',
    help: "Encrypt the private key with this file's content. Or set COUNTERSIGN_PASSPHRASE.",
  },
} as const satisfies OptionTable;

export const keygen: Command = defineCommand({
  name: 'keygen',
  summary:
    'Creates a key pair, RSA unless you ask for another kind, and prints its fingerprint and what to register.',
  arguments: [],
  options,
  examples: [
    { what: 'private.pem and public.pem in this folder', line: 'countersign keygen' },
    {
      what: 'an Ed25519 key: its signatures are short, and quick to make',
      line: 'countersign keygen --algorithm ed25519',
    },
    {
      what: 'an encrypted key in a separate folder',
      line: 'countersign keygen --out keys/shop.pem --public-out keys/shop.pub.pem --passphrase-file secret.txt',
    },
  ],
  execute,
});

async function execute({ values }: Invocation<typeof options>, io: Io): Promise<'ok'> {
  const algorithm = readAlgorithm(values.algorithm);
  const { keyKind, keyTitle } = keyAlgorithms[algorithm];
  if (keyKind !== 'rsa' && values.bits !== undefined)
    throw usageError(`${keyTitle} keys have one size: leave out --bits.`);
  const bits = checkedBits(values.bits ?? '3072');
  const privateKeyFile = values.out ?? 'private.pem';
  const publicKeyFile = values['public-out'] ?? 'public.pem';
  checkFiles([privateKeyFile, publicKeyFile], values.force, io);
  const passphrase = await findPassphrase(values['passphrase-file'], io);
  const pair = await makeKeyPair({
    bits,
    passphrase,
    algorithm,
  });
  const reading = readPublicKey(pair.publicKey, everyKeySize);
  // Only a broken random number generator gets here.
  if (!reading.ok)
    throw new CommandError('local', 'key_invalid', `The new key is unusable. ${reading.message}`);
  const files = {
    privateKeyFile: resolve(io.folder, privateKeyFile),
    publicKeyFile: resolve(io.folder, publicKeyFile),
  };
  await writeKeyPair(files, pair, values.force);

  const made = {
    privateKeyFile,
    publicKeyFile,
    modulusBits: reading.key.bits,
    algorithm,
    kind: describeKey({ algorithm, bits: reading.key.bits }),
    fingerprint: keyFingerprint(reading.key),
    encrypted: passphrase !== undefined,
  };
  if (values.json) writeJson(io, { ok: true, ...made });
  else io.output.write(describe(made, io));
  return 'ok';
}

function readAlgorithm(name: string = signatureAlgorithm): KeyAlgorithm {
  if (isKeyAlgorithm(name)) return name;
  throw usageError(`--algorithm must be ${alternatives(keyAlgorithmNames)}.`);
}

/** Checks before spending a second on a key. Writing the files checks again. */
function checkFiles(paths: readonly [string, string], force: boolean, io: Io): void {
  const [privateFile, publicFile] = paths.map((path) => resolve(io.folder, path));
  if (paths.includes('-'))
    throw usageError('Keys are written only to files: a private key on a screen is no longer private.');
  if (privateFile === publicFile) throw usageError('--out and --public-out must be different files.');
  const taken = force ? undefined : paths.find((path) => existsSync(resolve(io.folder, path)));
  if (taken === undefined) return;
  throw new CommandError(
    'local',
    'file_exists',
    `${taken} already exists, and a key that is overwritten is lost. Give other names with --out and ` +
      `--public-out, or --force.`,
  );
}

function describe(
  made: {
    readonly privateKeyFile: string;
    readonly publicKeyFile: string;
    readonly kind: string;
    readonly algorithm: KeyAlgorithm;
    readonly fingerprint: string;
    readonly encrypted: boolean;
  },
  io: Io,
): string {
  const { strong } = coloursFor(io, io.output);
  const { privateKeyFile, publicKeyFile, kind, algorithm, fingerprint, encrypted } = made;
  const [privateKey, publicKey] = [privateKeyFile, publicKeyFile].map((path) => visible(shellQuoted(path)));
  // The closed profile does not sign with it.
  const purpose = algorithmNamed(algorithm) ? '' : ` --algorithm ${algorithm} --profile PROFILE`;
  const secret = encrypted ? 'encrypted with your passphrase' : 'not encrypted, readable by you alone';
  return [
    strong(`A new key pair: ${kind}`),
    fieldLines([
      ['private key', `${privateKeyFile} (${secret}; never send it to anyone)`],
      ['public key', publicKeyFile],
      ['fingerprint', fingerprint],
    ]),
    strong('Register the public key'),
    `  Give ${publicKey} to whoever manages the API keys of your account, and get a clientId back.`,
    '  On the machine of the service itself:',
    `  countersign clients add --name NAME --key ${publicKey}${purpose} --network ADDRESS --role ROLE`,
    ...(purpose === '' ? [] : ['  PROFILE is one that signs with it, such as fapi-2-request-01 with PS256.']),
    '  ADDRESS is where the client calls from, such as 203.0.113.7 or 203.0.113.0/24. ROLE is what it may do: auditor only',
    '  reads, and the portal and GET /v1/roles list all roles.',
    '',
    strong('Compare the fingerprint'),
    '  openssl says the same, without "SHA256:" in front and with one more "=" at the end, which only fills up:',
    `  openssl pkey -in ${privateKey} -pubout -outform DER | openssl dgst -sha256 -binary | openssl base64`,
    '',
  ].join('\n');
}
