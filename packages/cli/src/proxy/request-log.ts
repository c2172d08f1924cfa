import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { fileError } from '../files.ts';
import type { Io } from '../terminal/io.ts';
import { visible } from '../terminal/visible.ts';
import type { ProxyLogEntry } from './proxy-server.ts';

export interface RequestLog {
  readonly write: (entry: ProxyLogEntry) => void;
  readonly end: () => Promise<void>;
}

/** Logs to standard output. */
export function outputLog(io: Io): RequestLog {
  return {
    write: (entry) => void io.output.write(lineOf(entry)),
    end: async () => undefined,
  };
}

/** Appends to a file that others cannot read. Calls `warn` if that fails later on; requests continue. */
export async function fileLog(file: string, warn: (text: string) => void, io: Io): Promise<RequestLog> {
  const stream = createWriteStream(resolve(io.folder, file), { flags: 'a', mode: 0o600 });
  try {
    await once(stream, 'open');
  } catch (error) {
    throw fileError(error, file, 'log file');
  }
  stream.on('error', (error) => warn(fileError(error, file, 'log file').message));
  return {
    write: (entry) => void stream.write(lineOf(entry)),
    end: () => new Promise((done) => stream.end(() => done())),
  };
}

/** Logs nothing. */
export const noLog: RequestLog = { write: () => undefined, end: async () => undefined };

function lineOf(entry: ProxyLogEntry): string {
  return `${visible(JSON.stringify(entry))}\n`;
}
