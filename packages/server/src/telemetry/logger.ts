import { mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Logger, pino } from 'pino';
import { LogDestination } from './log-destination.ts';
import { createClockText } from './clock-text.ts';

/** Log levels, from most to least verbose. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * Creates the log: one JSON object per line, appended to the file, or written to standard error if the name is empty.
 * Writes don't wait for the disk; call `flush` before the process ends. If the file cannot be written later on, a line
 * on standard error says so.
 *
 * @throws Error when the file cannot be opened
 */
export function createLogger(level: LogLevel, file: string): Logger {
  const clockText = createClockText();
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${clockText(Date.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
      // Unexpected errors are logged with their stack, never with the values involved.
      serializers: {
        error: (error: Error) => ({ name: error.name, message: error.message, stack: error.stack }),
      },
    },
    file === '' ? new LogDestination(2, () => undefined) : openFile(file),
  );
}

function openFile(file: string): LogDestination {
  let descriptor: number;
  try {
    // The folder may be the data folder, which only its owner may read.
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    descriptor = openSync(file, 'a', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `The log file ${file} cannot be opened (${code}): choose another one with COUNTERSIGN_LOG_FILE.`,
      {
        cause: error,
      },
    );
  }
  return new LogDestination(descriptor, (error) =>
    console.error(`The log cannot be written: ${error.message}`),
  );
}
