import { mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { destination, type Logger, pino, stdTimeFunctions } from 'pino';

/** The levels of the log, from talkative to quiet. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Bytes that wait for a slow disk at most; beyond that lines are lost, rather than the service. */
const waitingBytesMax = 67_108_864;

/**
 * The log: one JSON object a line, appended to the file, or on standard error when the name is empty.
 * Written without waiting for the disk; `flush` on it is called before the process ends.
 * Throws when the file cannot be opened. When it cannot be written later on, standard error says so once.
 */
export function createLogger(level: LogLevel, file: string): Logger {
  const options = { sync: false, minLength: 0, maxLength: waitingBytesMax };
  const stream = destination({ dest: file === '' ? 2 : openFile(file), ...options });
  let isTold = false;
  // Without a listener a full disk would end the process.
  stream.on('error', (error: Error) => {
    if (!isTold) console.error(`The log cannot be written: ${error.message}`);
    isTold = true;
  });
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // Unexpected errors are logged with their stack, never with the values that were at hand.
      serializers: { error: (error: Error) => ({ name: error.name, message: error.message, stack: error.stack }) },
    },
    stream,
  );
}

/** The folder may be the data folder, which is the owner's alone. */
function openFile(file: string): number {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return openSync(file, 'a', 0o600);
}
