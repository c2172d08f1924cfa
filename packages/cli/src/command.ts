import {
  type CommandDescription,
  type CommonOptions,
  commonOptions,
  type OptionTable,
  type OptionValues,
} from './arguments/options.ts';
import { readArguments } from './arguments/read-arguments.ts';
import type { ExitName } from './exits.ts';
import { helpOf } from './terminal/help.ts';
import type { Io } from './terminal/io.ts';

export interface Command extends CommandDescription {
  run(argv: readonly string[], io: Io): Promise<ExitName>;
}

export interface Invocation<Options extends OptionTable> {
  readonly values: OptionValues<Options & CommonOptions>;
  readonly positionals: readonly string[];
}

/** A command's description and its implementation. */
export interface CommandDefinition<Options extends OptionTable> extends CommandDescription {
  readonly options: Options;
  readonly execute: (invocation: Invocation<Options>, io: Io) => Promise<ExitName>;
}

/** Defines a command that reads its arguments and handles `--help` itself. */
export function defineCommand<const Options extends OptionTable>(
  definition: CommandDefinition<Options>,
): Command {
  const { execute, ...description } = definition;
  const options = { ...definition.options, ...commonOptions };
  const accepted = { ...description, options };
  return {
    ...accepted,
    async run(argv, io) {
      const given = readArguments<Options & CommonOptions>(accepted, argv);
      if (given.values.help !== true) return execute(given, io);
      io.output.write(helpOf(accepted));
      return 'ok';
    },
  };
}
