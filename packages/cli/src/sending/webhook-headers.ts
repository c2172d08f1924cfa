import type { OptionTable } from '../arguments/options.ts';
import { CommandError, usageError } from '../exits.ts';
import { readTextFile } from '../files.ts';
import type { Io } from '../terminal/io.ts';

/** Options for header fields that are sent with each event. Values are secrets, so files and the environment come first. */
export const headerOptions = {
  header: {
    type: 'string',
    multiple: true,
    placeholder: "'NAME: VALUE'",
    help: 'A custom header. Other users of this machine can see the value: --header-file and --header-env hide it.',
  },
  'header-file': {
    type: 'string',
    multiple: true,
    placeholder: "'NAME: FILE'",
    help: 'A custom header whose value is the content of a file, without its final line end.',
  },
  'header-env': {
    type: 'string',
    multiple: true,
    placeholder: "'NAME: VARIABLE'",
    help: 'A custom header whose value is an environment variable.',
  },
} as const satisfies OptionTable;

interface HeaderValues {
  readonly header: readonly string[];
  readonly 'header-file': readonly string[];
  readonly 'header-env': readonly string[];
}

/**
 * Reads the custom headers that options give, by name. The service checks names and values.
 *
 * @throws CommandError about an option; it never contains a value
 */
export async function readHeaders(values: HeaderValues, io: Io): Promise<ReadonlyMap<string, string>> {
  const headers = new Map<string, string>();
  const add = ([name, value]: readonly [string, string], option: string): void => {
    if (headers.has(name)) throw usageError(`${option} gives ${name} a second time.`);
    headers.set(name, value);
  };
  for (const text of values.header) add(headerOf(text, '--header'), '--header');
  for (const text of values['header-file']) {
    const [name, file] = headerOf(text, '--header-file');
    add([name, (await readTextFile(io, file, 'header file')).replace(/\r?\n$/, '')], '--header-file');
  }
  for (const text of values['header-env']) {
    const [name, variable] = headerOf(text, '--header-env');
    const value = io.environment[variable];
    if (value === undefined || value === '')
      throw new CommandError(
        'usage',
        'usage',
        `The environment variable ${variable} of --header-env is not set.`,
      );
    add([name, value], '--header-env');
  }
  return headers;
}

/** Splits `Name: value`. Errors do not repeat the text, because part of it may be secret. */
function headerOf(text: string, option: string): readonly [string, string] {
  const at = text.indexOf(':');
  const [name, value] = [text.slice(0, at).trim().toLowerCase(), text.slice(at + 1).trim()];
  if (at < 1 || value === '')
    throw usageError(`Write ${option} as 'Name: value', such as 'X-Tenant: northwind'.`);
  return [name, value];
}
