/** One option of a command, as it is read and as `--help` tells it. */
export interface OptionDescription {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** Whether it may be given several times. */
  readonly multiple?: boolean;
  /** What stands for the value in `--help`. */
  readonly placeholder?: string;
  readonly help: string;
}

/** The options of a command by their long names. */
export type OptionTable = Readonly<Record<string, OptionDescription>>;

/** The values of the options of a table. */
export type OptionValues<Options extends OptionTable> = {
  readonly [Name in keyof Options]: Options[Name] extends { readonly type: 'boolean' }
    ? boolean
    : Options[Name] extends { readonly multiple: true }
      ? readonly string[]
      : string | undefined;
};

/** What every command has. */
export interface CommonOptions {
  readonly json: { readonly type: 'boolean'; readonly help: string };
  readonly help: { readonly type: 'boolean'; readonly short: 'h'; readonly help: string };
}

export const commonOptions: CommonOptions = {
  json: { type: 'boolean', help: 'Print one JSON object, for scripts; also for errors.' },
  help: { type: 'boolean', short: 'h', help: 'Show this.' },
};

/** One argument without a name. */
export interface Argument {
  readonly name: string;
  readonly help: string;
  readonly optional?: boolean;
}
