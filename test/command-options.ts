import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

type Values<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options }>
>['values'];

/** Reads the options of a command. With `--help`, or if they are invalid, ends the process with its usage. */
export function readOptions<const Options extends ParseArgsOptionsConfig>(
  usage: string,
  options: Options,
): Values<Options> {
  if (process.argv.includes('--help') || process.argv.includes('-h')) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return misused(usage, (error as Error).message);
  }
}

/** Reads a count. Ends the process with the usage if it is not one. */
export function readCount(usage: string, name: string, text: string, max: number = 1e12): number {
  const count = /^[1-9]\d{0,12}$/.test(text) ? Number(text) : Number.NaN;
  return count <= max ? count : misused(usage, `--${name} must be a number from 1 to ${max}.`);
}

/** Reads a seed, or picks one. */
export function readSeed(usage: string, text: string | undefined): number {
  return text === undefined
    ? 1 + Math.floor(Math.random() * (2 ** 31 - 1))
    : readCount(usage, 'seed', text, 2 ** 32);
}

/** Ends the process with what is wrong, and the usage. */
export function misused(usage: string, why: string): never {
  console.error(`${why}\n\n${usage}`);
  process.exit(2);
}
