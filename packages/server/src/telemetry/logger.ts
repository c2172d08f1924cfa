import { fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder } from '@countersign/gate/private-folder';
import { type Logger, pino } from 'pino';
import { LogDestination, type LogDestinationOptions } from './log-destination.ts';
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
  const timestamp = (): string => `,"time":"${clockText(Date.now())}"`;
  const noteLost = (lines: number): string =>
    `{"level":"error"${timestamp()},"lostLines":${lines},"msg":"log lines could not be written"}\n`;
  const destination =
    file === '' ? new LogDestination(2, { onFailure: () => undefined, noteLost }) : openFile(file, noteLost);
  const logger = pino(
    {
      level,
      base: null,
      timestamp,
      formatters: { level: (label) => ({ level: label }) },
      // Unexpected errors are logged with their stack, never with the values involved.
      serializers: {
        error: (error: Error) => ({ name: error.name, message: error.message, stack: error.stack }),
      },
    },
    destination,
  );
  if (file !== '') files.set(logger, destination);
  return logger;
}

/** The destinations of loggers that write to one. */
const files = new WeakMap<Logger, LogDestination>();

/** Returns true while a logger loses lines because its file cannot be written. */
export function losesLines(logger: Logger): boolean {
  return files.get(logger)?.isFailing === true;
}

function openFile(file: string, noteLost: (lines: number) => string): LogDestination {
  let descriptor: number;
  try {
    // The folder may be the data folder, which only its owner may read.
    makePrivateFolder(dirname(file));
    descriptor = openSync(file, 'a+', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `The log file ${file} cannot be opened (${code}): choose another one with COUNTERSIGN_LOG_FILE.`,
      {
        cause: error,
      },
    );
  }
  return new LogDestination(descriptor, {
    onFailure: (error) => console.error(`The log cannot be written: ${error.message}`),
    noteLost,
    ...repairEnd(descriptor),
  });
}

/** The maximum length of a log line. */
const lineBytesMax = 65_536;

/**
 * Removes the beginning of a line that the previous process could not finish before it was killed. If it cannot
 * be removed, the next line starts on a new line.
 */
function repairEnd(descriptor: number): Pick<LogDestinationOptions, 'isTorn' | 'lostLines'> {
  const stats = fstatSync(descriptor);
  if (!stats.isFile() || stats.size === 0) return {};
  const start = Math.max(0, stats.size - lineBytesMax);
  const end = Buffer.alloc(stats.size - start);
  if (readSync(descriptor, end, 0, end.length, start) !== end.length) return {};
  const length = end.lastIndexOf('\n') + 1;
  if (length === end.length) return {};
  if (length === 0 && start > 0) return { isTorn: true };
  try {
    ftruncateSync(descriptor, start + length);
    return { lostLines: 1 };
  } catch {
    return { isTorn: true };
  }
}
