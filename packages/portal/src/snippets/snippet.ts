import type { Language } from '../code/tokens.ts';

export interface SnippetValues {
  /** The service's public base URL, without a trailing slash. */
  readonly baseUrl: string;
  /** Visible ASCII without double quotes and backslashes (`isClientId` of the contract). */
  readonly clientId: string;
  /** The path of the private key in PEM, without line ends. */
  readonly privateKeyFile: string;
}

/** A complete program that signs a request and prints the response. */
export interface Snippet {
  readonly fileName: string;
  readonly language: Language;
  /** Contains `http://127.0.0.1:8421`, `client_…` and `private.pem`, each once, as literals. */
  readonly program: string;
  /** Commands that install the package; undefined for a program that needs none. */
  readonly install: string | undefined;
  /** The command that starts the program in the folder that contains it and the private key. */
  readonly run: string;
  /** True if it signs with RSA keys only. */
  readonly isRsaOnly: boolean;
}

/** The programs in one language. */
export interface SnippetLanguage {
  readonly id: string;
  readonly title: string;
  /** The document about the language's package. */
  readonly guide: string;
  /** The program in the guide. */
  readonly withPackage: Snippet;
  readonly withoutPackage: Snippet | undefined;
}

const examples =
  /(["'])(?:(?<baseUrl>http:\/\/127\.0\.0\.1:8421)|(?<clientId>client_…)|(?<privateKeyFile>private\.pem))\1/g;

/** Returns the program with a client's values instead of the examples. */
export function snippetCode({ program, language }: Snippet, values: SnippetValues): string {
  const names = ['baseUrl', 'clientId', 'privateKeyFile'] as const;
  let code = '';
  let end = 0;
  for (const { 0: found, index, groups } of program.matchAll(examples)) {
    const name = names.find((each) => groups?.[each] !== undefined) ?? 'baseUrl';
    code += program.slice(end, index) + quoted(values[name], language);
    end = index + found.length;
  }
  return code + program.slice(end);
}

/** Writes a text as a literal that holds nothing but the text. */
function quoted(text: string, language: Language): string {
  if (language === 'sh') return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const quote = language === 'js' || language === 'php' || language === 'ruby' ? "'" : '"';
  return quote + text.replaceAll(quote === "'" ? /['\\]/g : /["\\]/g, String.raw`\$&`) + quote;
}
