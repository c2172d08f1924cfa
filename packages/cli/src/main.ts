/**
 * The command line. `main` runs one command and returns the exit code; it never throws and never exits the process.
 *
 * @module
 */
import { nearest } from './arguments/nearest.ts';
import { commandLoaders, loadCommands } from './commands/load-command.ts';
import { CommandError, type ExitName, exits, usageError } from './exits.ts';
import { type Io, processIo } from './terminal/io.ts';
import { writeError, writeJson } from './terminal/report.ts';
import { version } from './version.ts';

export async function main(argv: readonly string[], io: Io = processIo()): Promise<number> {
  try {
    return exits[await dispatch(argv, io)].code;
  } catch (error) {
    return exits[reportFailure(error, argv, io)].code;
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<ExitName> {
  const [first] = argv;
  if (first === undefined) {
    io.errors.write(await helpOfAllCommands());
    return 'usage';
  }
  if (first === '--version') {
    io.output.write(`${version()}\n`);
    return 'ok';
  }
  const isHelp = first === '--help' || first === '-h' || first === 'help';
  if (isHelp && argv.length === 1) {
    io.output.write(await helpOfAllCommands());
    return 'ok';
  }
  const words = isHelp ? argv.slice(1) : argv;
  const [group = '', second] = words;
  const isGroup = names.some((name) => name.startsWith(`${group} `));
  if (isGroup && (second === undefined || second === '--help' || second === '-h')) {
    const asked = isHelp || second !== undefined;
    (asked ? io.output : io.errors).write(await helpOfCommandGroup(group));
    return asked ? 'ok' : 'usage';
  }
  const name = findCommand(words);
  const command = await commandLoaders[name]!();
  const rest = words.slice(name.split(' ').length);
  return command.run(isHelp ? ['--help'] : rest, io);
}

const names: readonly string[] = Object.keys(commandLoaders);

async function helpOfAllCommands(): Promise<string> {
  const { helpOfAll } = await import('./terminal/help.ts');
  return helpOfAll(await loadCommands());
}

async function helpOfCommandGroup(group: string): Promise<string> {
  const { helpOfGroup } = await import('./terminal/help.ts');
  const members = (await loadCommands()).filter(({ name }) => name.startsWith(`${group} `));
  return helpOfGroup(group, members);
}

/** Returns the name of the command that the words begin with. */
function findCommand(words: readonly string[]): string {
  const [first = '', second = ''] = words;
  const found = names.find((name) => name === first || name === `${first} ${second}`);
  if (found !== undefined) return found;
  if (first.startsWith('-'))
    throw usageError(`Put the command first, then its options. See: countersign --help`);
  const group = names.filter((name) => name.startsWith(`${first} `));
  const typed = group.length > 0 ? `${first} ${second}`.trim() : first;
  const possible = group.length > 0 ? group : names;
  const meant = nearest(typed, possible);
  const advice =
    meant === undefined ? `The commands are ${possible.join(', ')}.` : `Did you mean "${meant}"?`;
  throw usageError(`There is no command "${typed}". ${advice} See: countersign --help`);
}

function reportFailure(error: unknown, argv: readonly string[], io: Io): ExitName {
  const exit = error instanceof CommandError ? error.exit : 'internal';
  const code = error instanceof CommandError ? error.code : 'internal';
  const message =
    error instanceof CommandError
      ? error.message
      : `This is a mistake in the program. Please report it, with this:\n${error instanceof Error ? error.stack : String(error)}`;
  if (argv.includes('--json')) writeJson(io, { ok: false, code, message });
  else writeError(io, message);
  return exit;
}
