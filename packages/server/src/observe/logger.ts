import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { destination, type Logger, pino, stdTimeFunctions } from 'pino';

/** The levels of the log, from talkative to quiet. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * The log: one JSON object a line, appended to the file, or on standard error when the name is empty.
 * Written without waiting for the disk; `flush` on it is called before the process ends.
 */
export function createLogger(level: LogLevel, file: string): Logger {
  // The folder may be the data folder, which is the owner's alone; pino would make it readable for everyone.
  if (file !== '') mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // Unexpected errors are logged with their stack, never with the values that were at hand.
      serializers: { error: (error: Error) => ({ name: error.name, message: error.message, stack: error.stack }) },
    },
    destination({ dest: file === '' ? 2 : file, sync: false, minLength: 0, mode: 0o600 }),
  );
}
