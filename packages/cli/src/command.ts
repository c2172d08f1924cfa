import {
  type Argument,
  type CommonOptions,
  commonOptions,
  type OptionTable,
  type OptionValues,
} from './arguments/options.ts';
import { readArguments } from './arguments/read-arguments.ts';
import type { ExitName } from './exits.ts';
import { helpOf } from './terminal/help.ts';
import type { Io } from './terminal/io.ts';

/** What a command is for and how it is called. `--help` is made of it. */
export interface CommandDescription {
  /** One word, or two: `clients add`. */
  readonly name: string;
  readonly summary: string;
  readonly arguments: readonly Argument[];
  readonly options: OptionTable;
  /** Paragraphs that `--help` shows below the options. */
  readonly notes?: readonly string[];
  readonly examples: readonly { readonly what: string; readonly line: string }[];
}

/** A command that can be called. */
export interface Command extends CommandDescription {
  run(argv: readonly string[], io: Io): Promise<ExitName>;
}

/** The values that a command is run with. */
export interface Invocation<Options extends OptionTable> {
  readonly values: OptionValues<Options & CommonOptions>;
  readonly positionals: readonly string[];
}

/** A command as it is written: its description, and what it does with the values of its options. */
export interface CommandDefinition<Options extends OptionTable> extends CommandDescription {
  readonly options: Options;
  readonly execute: (invocation: Invocation<Options>, io: Io) => Promise<ExitName>;
}

/** Makes a command that reads its arguments, and answers `--help` by itself. */
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
