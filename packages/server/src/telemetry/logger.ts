import { mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Logger, pino } from 'pino';
import { LogDestination } from './log-destination.ts';
import { createClockText } from './clock-text.ts';

/** The levels of the log, from talkative to quiet. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * The log: one JSON object a line, appended to the file, or on standard error when the name is empty.
 * Written without waiting for the disk; `flush` on it is called before the process ends.
 * Throws when the file cannot be opened. When it cannot be written later on, standard error says so.
 */
export function createLogger(level: LogLevel, file: string): Logger {
  const clockText = createClockText();
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${clockText(Date.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
      // Unexpected errors are logged with their stack, never with the values that were at hand.
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
    // The folder may be the data folder, which is the owner's alone.
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
