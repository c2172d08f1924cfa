/** What a snippet is filled with. */
export interface SnippetValues {
  /** The public base URL of the service, without a slash at its end. */
  readonly baseUrl: string;
  /** Visible ASCII without double quotes and backslashes (`isClientId` of the contract). */
  readonly clientId: string;
}

/** A whole program that signs two requests, one without and one with a body, and shows the answers. */
export interface Snippet {
  /** Its name in addresses and tests. */
  readonly id: string;
  /** What people call it. */
  readonly title: string;
  readonly fileName: string;
  /** How it is started, in the folder where it and `private.pem` are. */
  readonly command: string;
  /** The program; `@@baseUrl@@` and `@@clientId@@` stand where the values go. */
  readonly program: string;
  /** Writes a text as the language does. */
  readonly quote: (text: string) => string;
}

/** The program with the values in it. */
export function snippetCode({ program, quote }: Snippet, values: SnippetValues): string {
  // A function, because in a text `$` would mean something.
  return program.replaceAll(/@@(baseUrl|clientId)@@/g, (_, name: keyof SnippetValues) => quote(values[name]));
}

/** A text between double quotes, as Java, Go, C#, JavaScript and Python read it. */
export function doubleQuoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** A text between single quotes in which a shell reads nothing else. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A text between single quotes, as PHP reads it. */
export function phpQuoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
