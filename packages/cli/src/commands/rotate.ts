import type { Key } from '@countersign/contract';
import type { OptionTable } from '../arguments/options.ts';
import { readDuration } from '../arguments/durations.ts';
import { checkedBits } from '../keys/checked-bits.ts';
import { type Command, defineCommand, type Invocation } from '../command.ts';
import { usageError } from '../exits.ts';
import { type Rotation, type RotationOrder, rotateKey } from '../rotation/rotate-key.ts';
import { baseUrlOption, findBaseUrl } from '../sending/call-api.ts';
import {
  credentialNote,
  credentialOptions,
  type Credentials,
  findCredentials,
  findPassphrase,
} from '../signing/credentials.ts';
import { openKeySource } from '../signing/key-source.ts';
import { requestOptions } from '../signing/outgoing-request.ts';
import type { Io } from '../terminal/io.ts';
import { fieldLines } from '../terminal/layout.ts';
import { writeJson } from '../terminal/report.ts';
import { visible } from '../terminal/visible.ts';

const options = {
  'if-older-than': {
    type: 'string',
    placeholder: 'AGE',
    help: 'Do nothing unless the key was registered at least this long ago, such as 60d. For timers.',
  },
  overlap: {
    type: 'string',
    placeholder: 'TIME',
    help: 'How long the previous key still works, for applications that have not picked up the new one. Default: 72h. With 0, it expires some seconds after the switch.',
  },
  compromised: {
    type: 'boolean',
    help: 'The key is compromised: revoke it as soon as the new one is in place.',
  },
  bits: {
    type: 'string',
    placeholder: 'NUMBER',
    help: 'New key size: 2048 to 8192. Default: the current size.',
  },
  'base-url': baseUrlOption,
  ...credentialOptions,
  nonce: requestOptions.nonce,
} as const satisfies OptionTable;

export const rotate: Command = defineCommand({
  name: 'rotate',
  summary: "Rotates a client's key: creates, registers and tests a new one, then retires the old one.",
  arguments: [],
  options,
  notes: [
    'The client needs the permission self:rotate (role key-rotator). The current key signs the request that ' +
      'registers the new key, the new key signs a first request, and then the key file is replaced atomically, ' +
      'with the same owner and mode. Programs that follow the file switch without a restart.',
    'You can interrupt the command at any step and run it again: KEY.next and KEY.rotation next to the key file ' +
      'hold the unfinished state, and the next run completes it. An encrypted key is replaced by one with the same ' +
      'passphrase.',
    "With a key store, the store creates the new key, and the file with the key's name is replaced. A run interrupted between these two steps leaves an unused key in the store.",
    credentialNote,
  ],
  examples: [
    { what: 'from a timer', line: 'countersign rotate --credentials shop.json --if-older-than 60d' },
    {
      what: 'now, and revoke the old key',
      line: 'countersign rotate --client-id client_… --key private.pem --base-url https://api.example.com --overlap 0',
    },
    {
      what: 'a key in Vault, an HSM or a cloud key service',
      line:
        'countersign rotate --client-id client_… --key key-name --key-store vault.json --base-url ' +
        'https://api.example.com',
    },
    { what: 'the key has leaked', line: 'countersign rotate --credentials shop.json --compromised' },
  ],
  execute,
});

/** The same as `overlapSecondsMax` of the service. */
const overlapSecondsMax = 2_592_000;

async function execute({ values }: Invocation<typeof options>, io: Io): Promise<'ok'> {
  const age = values['if-older-than'];
  const overlapSeconds = readDuration(values.overlap ?? '72h', '--overlap');
  if (overlapSeconds > overlapSecondsMax) throw usageError('--overlap must be at most 30d.');
  if (values.compromised && (age !== undefined || values.overlap !== undefined))
    throw usageError(
      '--compromised replaces the key now and ends it: leave out --if-older-than and --overlap.',
    );
  const bits = values.bits === undefined ? undefined : checkedBits(values.bits);
  const credentials = await findCredentials(values, io);
  const order = {
    clientId: credentials.clientId,
    keyFile: credentials.keyFile,
    source: await openKeySource(credentials, await findPassphrase(values['passphrase-file'], io), io),
    nonce: values.nonce,
    baseUrl: findBaseUrl(values['base-url'], credentials),
    bits,
    ageSecondsMin: age === undefined ? 0 : readDuration(age, '--if-older-than'),
    overlapSeconds,
    isCompromised: values.compromised,
  };
  const report = (progress: string): void => {
    if (!values.json) io.errors.write(`${visible(progress)}\n`);
  };
  const rotation = await rotateKey(order, io, report);
  if (values.json) writeJson(io, { ok: true, ...rotationAsJson(rotation, credentials) });
  else io.output.write(rotationText(rotation, order));
  return 'ok';
}

function rotationText(
  { outcome, key, previous }: Rotation,
  { keyFile, source }: Pick<RotationOrder, 'keyFile' | 'source'>,
): string {
  const sentence =
    outcome === 'not_due' ? `The key is ${key.ageDays} days old: nothing to do.\n` : 'The key is replaced.\n';
  return (
    sentence +
    fieldLines([
      ['clientId', key.clientId],
      [source.holds, keyFile],
      ['key', keyText(key)],
      ['previous key', previous && keyText(previous)],
    ])
  );
}

function keyText({ keyId, fingerprint, status, endsAt }: Key): string {
  return `${keyId}  ${fingerprint}  ${status}${endsAt === undefined ? '' : ` until ${endsAt}`}`;
}

function rotationAsJson(
  { outcome, key, previous }: Rotation,
  { keyFile, keyStoreFile }: Credentials,
): Record<string, unknown> {
  return {
    outcome,
    clientId: key.clientId,
    [keyStoreFile === undefined ? 'privateKeyFile' : 'keyNameFile']: keyFile,
    key: keyAsJson(key),
    ...(previous && { previous: keyAsJson(previous) }),
  };
}

function keyAsJson({ keyId, fingerprint, status, createdAt, endsAt }: Key): Record<string, unknown> {
  return { keyId, fingerprint, status, createdAt, endsAt };
}
