import type { Language } from '../code/tokens.ts';

export interface SnippetValues {
  /** The service's public base URL, without a trailing slash. */
  readonly baseUrl: string;
  /** Visible ASCII without double quotes and backslashes (`isClientId` of the contract). */
  readonly clientId: string;
  /** The path of the private key in PEM, without line ends. */
  readonly privateKeyFile: string;
}

/** A complete program that signs two requests, one with a body, and prints the answers. */
export interface Snippet {
  readonly id: string;
  readonly title: string;
  readonly language: Language;
  /** The document about the language's package. */
  readonly guide: string;
  readonly fileName: string;
  /** Starts the program in the folder with it and the private key. */
  readonly command: string;
  /** `@@baseUrl@@`, `@@clientId@@` and `@@privateKeyFile@@` are placeholders. */
  readonly program: string;
  /** Writes a text as a literal of the language. */
  readonly quote: (text: string) => string;
}

export function snippetCode({ program, quote }: Snippet, values: SnippetValues): string {
  // A replacement string would interpret `$`.
  return program.replaceAll(/@@(baseUrl|clientId|privateKeyFile)@@/g, (_, name: keyof SnippetValues) =>
    quote(values[name]),
  );
}

/** Quotes a text for Java, Go, C#, JavaScript and Python. */
export function doubleQuoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
