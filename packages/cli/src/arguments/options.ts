/** One option of a command, for reading it and for `--help`. */
export interface OptionDescription {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  /** The name of the value in `--help`. */
  readonly placeholder?: string;
  readonly help: string;
}

/** Options by their long names. */
export type OptionTable = Readonly<Record<string, OptionDescription>>;

export type OptionValues<Options extends OptionTable> = {
  readonly [Name in keyof Options]: Options[Name] extends { readonly type: 'boolean' }
    ? boolean
    : Options[Name] extends { readonly multiple: true }
      ? readonly string[]
      : string | undefined;
};

export interface CommonOptions {
  readonly json: { readonly type: 'boolean'; readonly help: string };
  readonly help: { readonly type: 'boolean'; readonly short: 'h'; readonly help: string };
}

export const commonOptions: CommonOptions = {
  json: { type: 'boolean', help: 'Print one JSON object, for scripts, including errors.' },
  help: { type: 'boolean', short: 'h', help: 'Show this.' },
};

/** A positional argument. */
export interface Argument {
  readonly name: string;
  readonly help: string;
  readonly optional?: boolean;
  /** True if it accepts any number of values; only for the last one. */
  readonly isRepeated?: boolean;
}

/** A command's purpose and usage, the source of `--help`. */
export interface CommandDescription {
  /** One word or two, such as `clients add`. */
  readonly name: string;
  readonly summary: string;
  readonly arguments: readonly Argument[];
  readonly options: OptionTable;
  /** Paragraphs shown below the options in `--help`. */
  readonly notes?: readonly string[];
  readonly examples: readonly { readonly what: string; readonly line: string }[];
}
