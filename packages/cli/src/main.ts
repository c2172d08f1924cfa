/**
 * The command line. `main` runs one command and returns the exit code; it never throws and never exits the process.
 *
 * @module
 */
import { nearest } from './arguments/nearest.ts';
import type { Command } from './command.ts';
import { commands } from './commands/commands.ts';
import { CommandError, type ExitName, exits, usageError } from './exits.ts';
import { helpOfAll, helpOfGroup } from './terminal/help.ts';
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
    io.errors.write(helpOfAll(commands));
    return 'usage';
  }
  if (first === '--version') {
    io.output.write(`${version()}\n`);
    return 'ok';
  }
  const isHelp = first === '--help' || first === '-h' || first === 'help';
  if (isHelp && argv.length === 1) {
    io.output.write(helpOfAll(commands));
    return 'ok';
  }
  const words = isHelp ? argv.slice(1) : argv;
  const [group = '', second] = words;
  const members = commands.filter(({ name }) => name.startsWith(`${group} `));
  if (members.length > 0 && (second === undefined || second === '--help' || second === '-h')) {
    const asked = isHelp || second !== undefined;
    (asked ? io.output : io.errors).write(helpOfGroup(group, members));
    return asked ? 'ok' : 'usage';
  }
  const command = findCommand(words);
  const rest = words.slice(command.name.split(' ').length);
  return command.run(isHelp ? ['--help'] : rest, io);
}

function findCommand(words: readonly string[]): Command {
  const [first = '', second = ''] = words;
  const found = commands.find(({ name }) => name === first || name === `${first} ${second}`);
  if (found) return found;
  if (first.startsWith('-'))
    throw usageError(`Put the command first, then its options. See: countersign --help`);
  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  const typed = group.length > 0 ? `${first} ${second}`.trim() : first;
  const names = (group.length > 0 ? group : commands).map(({ name }) => name);
  const meant = nearest(typed, names);
  const advice = meant === undefined ? `The commands are ${names.join(', ')}.` : `Did you mean "${meant}"?`;
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
