import { parseArgs } from 'node:util';
import { type CommandError, usageError } from '../exits.ts';
import { nearest } from './nearest.ts';
import type { Argument, OptionDescription, OptionTable, OptionValues } from './options.ts';

/** The part of a command's description that its arguments are checked against. */
export interface Accepted<Options extends OptionTable> {
  readonly name: string;
  readonly arguments: readonly Argument[];
  readonly options: Options;
}

export interface Given<Options extends OptionTable> {
  readonly values: OptionValues<Options>;
  readonly positionals: readonly string[];
}

/**
 * Reads a command's arguments. Throws a usage error for unknown options, for missing or superfluous values, and for
 * an option given twice, because there is no telling which one was meant.
 */
export function readArguments<Options extends OptionTable>(
  accepted: Accepted<Options>,
  argv: readonly string[],
): Given<Options> {
  const { options } = accepted;
  const { tokens } = parseArgs({
    args: [...argv],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values: Record<string, boolean | string | string[] | undefined> = {};
  for (const [name, { type, multiple }] of Object.entries(options)) {
    values[name] = type === 'boolean' ? false : multiple === true ? [] : undefined;
  }
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (option === undefined) throw unknownOption(accepted, token.rawName);
    if (option.type === 'boolean') {
      if (token.value !== undefined) throw usageError(`${token.rawName} takes no value.`);
      values[token.name] = true;
      continue;
    }
    const value = valueOf(accepted, option, token);
    const earlier = values[token.name];
    if (Array.isArray(earlier)) earlier.push(value);
    else if (earlier === undefined) values[token.name] = value;
    else throw usageError(`--${token.name} is repeated.`);
  }
  if (values['help'] !== true) checkCount(accepted, positionals);
  return { values: values as OptionValues<Options>, positionals };
}

/** Shows how to call a command: `countersign request METHOD URL [options]`. */
export function usageLine({ name, arguments: known }: Accepted<OptionTable>): string {
  const shown = known
    .map(({ name: word, optional, isRepeated }) => {
      const words = isRepeated === true ? `${word} …` : word;
      return ` ${optional === true ? `[${words}]` : words}`;
    })
    .join('');
  return `countersign ${name}${shown} [options]`;
}

interface OptionToken {
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function valueOf(accepted: Accepted<OptionTable>, option: OptionDescription, token: OptionToken): string {
  const { rawName, value, inlineValue } = token;
  const missing = `${rawName} needs a value: ${rawName} ${option.placeholder ?? 'VALUE'}`;
  if (value === undefined) throw usageError(`${missing}.`);
  // `--key --json` is a forgotten value, not a file of that name.
  const isOption = inlineValue !== true && optionSpellings(accepted).includes(value);
  if (isOption) throw usageError(`${missing}. (To use ${value} as the value, write ${rawName}=${value}.)`);
  return value;
}

function optionSpellings({ options }: Accepted<OptionTable>): string[] {
  return Object.entries(options).flatMap(([name, { short }]) =>
    short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`],
  );
}

function unknownOption(accepted: Accepted<OptionTable>, rawName: string): CommandError {
  const known = Object.keys(accepted.options).map((name) => `--${name}`);
  const meant = rawName.startsWith('--') ? nearest(rawName, known) : undefined;
  const advice = meant === undefined ? `Its options are ${known.join(', ')}` : `Did you mean ${meant}`;
  return usageError(
    `countersign ${accepted.name} has no option ${rawName}. ${advice}${meant === undefined ? '.' : '?'}`,
  );
}

function checkCount(accepted: Accepted<OptionTable>, positionals: readonly string[]): void {
  const missing = accepted.arguments.find(
    (one, index) => one.optional !== true && index >= positionals.length,
  );
  if (missing) throw usageError(`${missing.name} is missing: ${usageLine(accepted)}`);
  if (accepted.arguments.at(-1)?.isRepeated === true) return;
  const extra = positionals[accepted.arguments.length];
  if (extra !== undefined) {
    throw usageError(
      `"${extra}" is one argument too many: ${usageLine(accepted)}. Quote what has spaces or &.`,
    );
  }
}

/** Reads a time given as Unix seconds or in RFC 3339 with an offset. Returns Unix seconds. */
export function readTime(text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  const isTimestamp = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/.test(text);
  const milliseconds = isTimestamp ? Date.parse(text.replace(' ', 'T').toUpperCase()) : Number.NaN;
  if (Number.isNaN(milliseconds)) {
    throw usageError(`"${text}" is not a time: use Unix seconds, or RFC 3339 such as 2026-01-31T08:00:00Z.`);
  }
  return Math.floor(milliseconds / 1000);
}
