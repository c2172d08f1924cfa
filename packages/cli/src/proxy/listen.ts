import { once } from 'node:events';
import { chmod, lstat, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { resolve } from 'node:path';
import { CommandError, usageError } from '../exits.ts';
import type { Io } from '../terminal/io.ts';

/** An address that only this machine can reach. */
export type LocalPlace =
  | { readonly kind: 'port'; readonly host: string; readonly port: number }
  | { readonly kind: 'socket'; readonly file: string };

/**
 * Reads `8420`, `127.0.0.1:8420`, `[::1]:8420` or `unix:FILE`. Throws a usage error for addresses that others
 * can reach.
 */
export function readPlace(text: string, option: string, io: Io): LocalPlace {
  if (text.startsWith('unix:') && text.length > 'unix:'.length)
    return { kind: 'socket', file: resolve(io.folder, text.slice('unix:'.length)) };
  const [, host = '127.0.0.1', digits = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535)
    throw usageError(`${option} must be a port, 127.0.0.1:PORT, [::1]:PORT or unix:FILE.`);
  const names: ReadonlyMap<string, string> = new Map([
    ['127.0.0.1', '127.0.0.1'],
    ['localhost', '127.0.0.1'],
    ['[::1]', '::1'],
  ]);
  const known = names.get(host);
  if (known !== undefined) return { kind: 'port', host: known, port };
  throw usageError(
    `${option} must be on this machine alone: 127.0.0.1, [::1] or unix:FILE. Whoever reaches the proxy acts as the client.`,
  );
}

/** Listens, and returns the address for display. */
export async function listenAt(server: Server, place: LocalPlace): Promise<string> {
  try {
    if (place.kind === 'socket') await listenAtSocket(server, place.file);
    else {
      server.listen(place.port, place.host);
      await once(server, 'listening');
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    const where = place.kind === 'socket' ? place.file : `${place.host}:${place.port}`;
    const reason = code === 'EADDRINUSE' ? 'is in use already' : `cannot be listened on (${code})`;
    throw new CommandError('local', 'address_unusable', `${where} ${reason}.`);
  }
  if (place.kind === 'socket') return `unix:${place.file}`;
  const { port } = server.address() as AddressInfo;
  return `http://${place.host.includes(':') ? `[${place.host}]` : place.host}:${port}`;
}

/** Only the user who runs the proxy can connect. */
async function listenAtSocket(server: Server, file: string): Promise<void> {
  await removeStale(file);
  const before = process.umask(0o177);
  try {
    server.listen(file);
  } finally {
    process.umask(before);
  }
  await once(server, 'listening');
  if (process.platform !== 'win32') await chmod(file, 0o600);
}

/** A proxy that was killed leaves its socket file. */
async function removeStale(file: string): Promise<void> {
  const found = await lstat(file).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isSocket())
    throw new CommandError(
      'local',
      'address_unusable',
      `${file} exists and is not a socket. Name another file.`,
    );
  const probe = connect(file);
  const isAlive = await new Promise<boolean>((settle) => {
    probe.once('connect', () => settle(true));
    probe.once('error', () => settle(false));
  });
  probe.destroy();
  if (isAlive) throw new CommandError('local', 'address_unusable', `${file} is in use already.`);
  await rm(file, { force: true });
}

/** The values of `Host` for a listener. */
export function hostsOf(place: LocalPlace, address: string): string[] {
  if (place.kind === 'socket') return ['localhost'];
  const port = new URL(address).port || '80';
  const names = ['127.0.0.1', 'localhost', '[::1]'];
  return port === '80'
    ? [...names, ...names.map((name) => `${name}:80`)]
    : names.map((name) => `${name}:${port}`);
}
