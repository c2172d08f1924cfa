import type { Key } from '@countersign/contract';
import { describeKey, everyKeySize, readPublicKey } from '@countersign/signature/node';
import { durationText } from '../arguments/durations.ts';
import { CommandError } from '../exits.ts';
import type { KeySource } from '../signing/key-source.ts';
import type { Io } from '../terminal/io.ts';
import { isUsable, type RegisteredKeys, registeredKeys } from './registered-keys.ts';
import { openRotationFiles, type RotationFiles, type RotationRecord } from './rotation-files.ts';

export interface RotationOrder {
  readonly clientId: string;
  /** The location of its keys. */
  readonly source: KeySource;
  /** Contains the current key, or its name. */
  readonly keyFile: string;
  readonly nonce: boolean;
  /** The URL of the management API. */
  readonly baseUrl: string;
  /** Undefined for the size of the current key. */
  readonly bits: number | undefined;
  /** A key that was registered more recently than this stays. */
  readonly ageSecondsMin: number;
  /** How long the previous key verifies after the first use of the new one; 0 ends it right after the switch. */
  readonly overlapSeconds: number;
  /** True if the previous key was compromised: it ends as soon as the new one has replaced it. */
  readonly isCompromised: boolean;
}

export interface Rotation {
  readonly outcome: 'rotated' | 'completed' | 'not_due';
  /** The key that signs from now on. */
  readonly key: Key;
  /** The key that it replaced, as the service has it. */
  readonly previous: Key | undefined;
}

/** The key that a file contains or names, and the means to use it at the service. */
interface OwnKey {
  readonly text: string;
  readonly fingerprint: string;
  /** What it is: `RSA, 3072 bits`. */
  readonly kind: string;
  readonly publicKeyPem: string;
  readonly registered: RegisteredKeys;
}

/** Everything that the steps use. */
interface Room {
  readonly order: RotationOrder;
  readonly files: RotationFiles;
  readonly io: Io;
  readonly report: (progress: string) => void;
}

/** A change reaches every node of a service within a second. */
const everyNodeMs = 2000;
/** Programs that follow the key file check it about once a second. */
const followersMs = 5000;
/** Ends the previous key if a rotation that should end it at once is interrupted and never completed. */
const unattendedOverlapSeconds = 3600;

/**
 * Replaces a client's key: creates one, registers it, proves it with a first request, switches the key file,
 * and ends the previous key. Each step checks what is already done, so a run after an interrupted one
 * completes it. Two runs at once do the same steps on the same new key.
 */
export async function rotateKey(order: RotationOrder, io: Io, report: Room['report']): Promise<Rotation> {
  const room: Room = { order, io, report, files: await openRotationFiles(order.keyFile, order.source.holds) };
  const interrupted = await room.files.readRecord();
  if (interrupted !== undefined) {
    checkClient(interrupted, room);
    report('An earlier run was interrupted; completing its rotation.');
  }
  const current = await readKeyFile(room);
  if (interrupted === undefined) {
    const keys = await current.registered.list();
    const key = registeredAs(current, keys);
    if (ageSeconds(key, io) < order.ageSecondsMin && key.status !== 'retiring')
      return { outcome: 'not_due', key, previous: undefined };
    await makeRoom(keys, key, current, room);
  }
  const record = interrupted ?? (await begin(current, room));
  if (current.fingerprint === record.previousFingerprint) {
    const next = await makeNext(current, room);
    await register(next, current, record, room);
    await switchKeyFile(next, room);
  } else if ((await room.files.read(room.files.nextFile)) !== undefined) {
    throw keyFileChanged(room.files);
  }
  const keys = await endPrevious(record, room);
  await room.files.remove(room.files.recordFile);
  return { outcome: interrupted === undefined ? 'rotated' : 'completed', ...keys };
}

function checkClient({ clientId }: RotationRecord, { order, files }: Room): void {
  if (clientId === order.clientId) return;
  throw new CommandError(
    'local',
    'rotation_of_another_client',
    `${files.recordFile} is about a rotation of ${clientId} that was interrupted. Complete it with --client-id ${clientId}.`,
  );
}

/**
 * Checks that the service has room for another key. A client has at most two usable keys, and both are in use
 * while an earlier rotation overlaps.
 */
async function makeRoom(
  keys: readonly Key[],
  own: Key,
  current: OwnKey,
  { order, report, files }: Room,
): Promise<void> {
  if ((await files.read(files.nextFile)) !== undefined) {
    throw new CommandError(
      'local',
      'file_exists',
      `${files.nextFile} exists, but no rotation is under way. Move it away, and run the command again.`,
    );
  }
  const other = keys.find((key) => isUsable(key) && key.keyId !== own.keyId);
  if (other === undefined) return;
  if (own.status === 'retiring') {
    throw new CommandError(
      'refused',
      'key_replaced',
      `This key expires ${own.endsAt ?? 'soon'}, because another one has replaced it: ${other.keyId}, ` +
        `${other.fingerprint}. ` +
        'Use that one here, or ask someone who can change keys (keys:write) to revoke it.',
    );
  }
  const isReplaced = own.replacesKeyId === other.keyId;
  if (isReplaced && (order.isCompromised || order.overlapSeconds === 0)) {
    report(`Revoking ${other.keyId}, which an earlier rotation replaced.`);
    await current.registered.revoke(other.keyId, 'superseded');
    return;
  }
  const advice = isReplaced
    ? `The previous key ${other.endsAt === undefined ? 'still works' : `works until ${other.endsAt}`}, and a client can have at most two usable keys. ` +
      'Run the command again after that, or with --overlap 0 to retire that key now.'
    : `The client has another key that this machine does not know: ${other.keyId}, ${other.fingerprint}, registered ` +
      `${other.createdAt}, ${other.status}. If nothing uses it, revoke it: countersign request POST ` +
      `/v1/clients/${order.clientId}/keys/${other.keyId}/revoke -d '{"reason":"superseded"}'`;
  throw new CommandError('refused', 'keys_too_many', advice);
}

async function begin(current: OwnKey, { order, files }: Room): Promise<RotationRecord> {
  const overlapSeconds = order.isCompromised ? 0 : order.overlapSeconds;
  const record = {
    clientId: order.clientId,
    previousFingerprint: current.fingerprint,
    overlapSeconds,
  };
  await files.writeRecord(record);
  return record;
}

/** Returns the next key, created now or by an earlier run. */
async function makeNext(current: OwnKey, room: Room): Promise<OwnKey> {
  const { order, files, report } = room;
  const isThere = (await files.read(files.nextFile)) !== undefined;
  if (!isThere) {
    await files.writeNext(await order.source.makeLike(current.text, order.bits));
    const present = await readKeyFile(room);
    // Another run has switched in the meantime: this key is not needed.
    if (present.fingerprint !== current.fingerprint) {
      await files.remove(files.nextFile);
      return present;
    }
  }
  const next = await readNext(room);
  // As above, and the new key was that run's own.
  if (next === undefined) return readKeyFile(room);
  report(`${isThere ? 'Using the new key' : 'Made a new key'} ${next.fingerprint} (${next.kind}).`);
  return next;
}

/** Registers the next key, and proves it with its first request. */
async function register(next: OwnKey, current: OwnKey, record: RotationRecord, room: Room): Promise<void> {
  const { report, io } = room;
  const known = await next.registered.listIfAccepted();
  if (known === undefined) {
    await checkNotEnded(next, await current.registered.list(), room);
    const overlapSeconds = record.overlapSeconds === 0 ? unattendedOverlapSeconds : record.overlapSeconds;
    await current.registered.add(next.publicKeyPem, overlapSeconds);
    report('Registered it.');
    await prove(next, room);
  }
  report('The service accepts it.');
  await io.pause(everyNodeMs);
}

/** A key that was ended never comes back: the next run creates another one. */
async function checkNotEnded(next: OwnKey, keys: readonly Key[], { files }: Room): Promise<void> {
  const ended = keys.find(({ fingerprint }) => fingerprint === next.fingerprint);
  if (ended === undefined || isUsable(ended)) return;
  await files.remove(files.nextFile);
  throw new CommandError(
    'refused',
    'key_state_conflict',
    `The new key was ${ended.status} before it was used. Run the command again to create another one.`,
  );
}

/** Signs with the next key until the responding node knows it. */
async function prove(next: OwnKey, { io }: Room): Promise<void> {
  for (let tries = 1; tries < 15; tries += 1) {
    if ((await next.registered.listIfAccepted()) !== undefined) return;
    await io.pause(1000);
  }
  await next.registered.list();
}

async function switchKeyFile(next: OwnKey, room: Room): Promise<void> {
  const { files, report } = room;
  if (await files.switchToNext()) report(`Switched ${files.keyFile} to it.`);
  else if ((await readKeyFile(room)).fingerprint !== next.fingerprint) throw keyFileChanged(files);
}

/** Ends the previous key, at once or after the overlap, and returns both keys. */
async function endPrevious(record: RotationRecord, room: Room): Promise<Pick<Rotation, 'key' | 'previous'>> {
  const { order, io, report } = room;
  const current = await readKeyFile(room);
  const find = async (): Promise<Pick<Rotation, 'key' | 'previous'>> => {
    const keys = await current.registered.list();
    const previous = keys.find(({ fingerprint }) => fingerprint === record.previousFingerprint);
    return { key: registeredAs(current, keys), previous };
  };
  let { key, previous } = await find();
  if (previous === undefined || !isUsable(previous)) return { key, previous };
  const reason = order.isCompromised ? 'compromised' : 'superseded';
  if (order.isCompromised || record.overlapSeconds === 0) {
    if (!order.isCompromised) await io.pause(followersMs);
    previous = await current.registered.revoke(previous.keyId, reason);
    report(`Ended the previous key ${previous.keyId}.`);
    return { key, previous };
  }
  // The service records the first use of a key, which starts the end of the previous one, after its response.
  for (let tries = 0; tries < 10 && previous?.status !== 'retiring'; tries += 1) {
    await io.pause(500);
    ({ key, previous } = await find());
  }
  if (previous !== undefined && previous.status !== 'retiring' && isUsable(previous))
    previous = await current.registered.retire(previous.keyId, io.nowMs() + record.overlapSeconds * 1000);
  report(
    `The previous key ${previous?.keyId} works until ${previous?.endsAt} (overlap: ${durationText(record.overlapSeconds)}).`,
  );
  return { key, previous };
}

async function readKeyFile(room: Room): Promise<OwnKey> {
  const { keyFile } = room.files;
  const text = await room.files.read(keyFile);
  if (text === undefined)
    throw new CommandError('local', 'file', `The ${room.order.source.holds} ${keyFile} does not exist.`);
  return ownKey(text, keyFile, room);
}

async function readNext(room: Room): Promise<OwnKey | undefined> {
  const { nextFile } = room.files;
  const text = await room.files.read(nextFile);
  return text === undefined ? undefined : ownKey(text, nextFile, room);
}

async function ownKey(text: string, file: string, { order, io }: Room): Promise<OwnKey> {
  const { clientId, source, nonce, baseUrl } = order;
  const signer = await source.open(text, file, { clientId, nonce, nowMs: io.nowMs });
  const publicKeyPem = signer.publicKeyPem();
  const reading = readPublicKey(publicKeyPem, { ...everyKeySize, allowPublishedTestKeys: true });
  const fingerprint = signer.fingerprint();
  if (!reading.ok || fingerprint === undefined)
    throw new CommandError('local', 'key_invalid', `${file}: this key cannot be registered.`);
  const registered = registeredKeys(baseUrl, signer, io);
  return { text, fingerprint, kind: describeKey(reading.key), publicKeyPem, registered };
}

function registeredAs({ fingerprint }: OwnKey, keys: readonly Key[]): Key {
  const key = keys.find((one) => one.fingerprint === fingerprint);
  if (key !== undefined) return key;
  throw new CommandError(
    'unreachable',
    'answer_invalid',
    `The service accepts the key ${fingerprint}, but does not list it.`,
  );
}

function ageSeconds({ createdAt }: Key, io: Io): number {
  return (io.nowMs() - Date.parse(createdAt)) / 1000;
}

function keyFileChanged({ keyFile, nextFile, recordFile }: RotationFiles): CommandError {
  return new CommandError(
    'local',
    'key_file_changed',
    `${keyFile} was changed while a rotation was under way. Check that it holds the right key, remove ${nextFile} and ` +
      `${recordFile}, and run the command again.`,
  );
}
