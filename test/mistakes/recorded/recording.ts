import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Way } from './plan.ts';

/** Bytes as text, or in Base64 if they are not UTF-8. */
export type Bytes = string | { readonly base64: string };

/** The request that a signer held, and the one that the service received. */
export interface Exchange {
  /** `language/name` of the HTTP client. */
  readonly client: string;
  readonly way: Way;
  /**
   * `language/name` of the software that created the signed text, and of the software that created the sent
   * one, if not the client.
   */
  readonly signs?: string;
  readonly sends?: string;
  readonly proxy?: string;
  /** In Unix seconds. */
  readonly clock: number;
  readonly account: 'webshop' | 'backoffice' | 'mobile';
  readonly held: { readonly method: string; readonly url: string; readonly body?: Bytes };
  readonly arrived: {
    readonly method: string;
    readonly target: string;
    readonly host: string;
    /** A header without a value has the one that the signer passed. */
    readonly headers: readonly (readonly [name: string, value?: string])[];
    /** Undefined if it is the held one. */
    readonly body?: Bytes;
  };
}

/** A file of exchanges. Their header lists are stored once each. */
interface Recording {
  readonly headerLists: readonly Exchange['arrived']['headers'][];
  readonly exchanges: readonly StoredExchange[];
}

type StoredExchange = Omit<Exchange, 'arrived'> & {
  readonly arrived: Omit<Exchange['arrived'], 'headers'> & { readonly headers: number };
};

const folder = fileURLToPath(new URL('data/', import.meta.url));

export function writeExchanges(name: string, exchanges: readonly Exchange[]): void {
  const lists = new Map<string, number>();
  const lines = exchanges.map(({ arrived: { headers, ...arrived }, ...rest }) => {
    const list = JSON.stringify(headers);
    if (!lists.has(list)) lists.set(list, lists.size);
    return JSON.stringify({ ...rest, arrived: { ...arrived, headers: lists.get(list) } });
  });
  const text = `{"headerLists":[\n${[...lists.keys()].join(',\n')}\n],"exchanges":[\n${lines.join(',\n')}\n]}\n`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}${name}.json`, text);
}

export function readExchanges(): readonly Exchange[] {
  return readdirSync(folder)
    .toSorted()
    .flatMap((name) => {
      const { headerLists, exchanges } = JSON.parse(readFileSync(folder + name, 'utf8')) as Recording;
      return exchanges.map(({ arrived, ...rest }): Exchange => {
        return { ...rest, arrived: { ...arrived, headers: headerLists[arrived.headers]! } };
      });
    });
}

/**
 * The clients, proxies and libraries in an exchange, without the variant of their call and the standard
 * libraries.
 */
export function programsOf({ client, signs, sends, proxy }: Exchange): readonly string[] {
  const libraries = [signs, sends].flatMap((name) => (name === undefined ? [] : [libraryOf(name)]));
  return [
    libraryOf(client),
    ...(proxy === undefined ? [] : [libraryOf(proxy)]),
    ...libraries.filter((name) => !partsOfLanguages.has(name)),
  ];
}

const partsOfLanguages = new Set([
  ...['naive', 'URLSearchParams', 'encodeURIComponent', 'encodeURI', 'querystring'].map(
    (name) => `node/${name}`,
  ),
  ...['JSON.stringify', 'String', 'inspect'].map((name) => `node/${name}`),
  ...['naive', 'urlencode', 'urlencode-quote', 'urlencode-flat', 'quote-safe'].map(
    (name) => `python/${name}`,
  ),
  ...['json.dumps', 'str'].map((name) => `python/${name}`),
  ...['naive', 'url.Values', 'url.QueryEscape', 'url.PathEscape', 'fmt.Sprint'].map((name) => `go/${name}`),
  ...['json.Marshal', 'json.MarshalIndent', 'json.Encoder', 'json.RawMessage', 'json.Compact'].map(
    (name) => `go/${name}`,
  ),
  ...['naive', 'URLEncoder', 'HashMap', 'toString'].map((name) => `java/${name}`),
  ...['naive', 'http_build_query', 'rawurlencode', 'urlencode'].map((name) => `php/${name}`),
  ...['json_encode', 'print_r', 'serialize'].map((name) => `php/${name}`),
  ...['naive', 'URI.encode_www_form', 'CGI.escape', 'ERB', 'inspect'].map((name) => `ruby/${name}`),
  ...['JSON.generate', 'JSON.pretty_generate'].map((name) => `ruby/${name}`),
  ...['naive', 'Debug'].map((name) => `rust/${name}`),
  ...['naive', 'Uri.EscapeDataString', 'Uri.EscapeUriString', 'ToString'].map((name) => `csharp/${name}`),
  ...['HttpUtility.UrlEncode', 'WebUtility.UrlEncode', 'HttpUtility.ParseQueryString'].map(
    (name) => `csharp/${name}`,
  ),
  ...['naive', 'sprintf', 'JSON::PP'].map((name) => `perl/${name}`),
  ...['naive', 'printf', 'echo'].map((name) => `shell/${name}`),
]);

/** `python/json.dumps compact` is a call of `python/json.dumps`. */
function libraryOf(name: string): string {
  return name.split(' ')[0]!;
}

export function bytesOf(bytes: Bytes | undefined): Buffer {
  if (bytes === undefined) return Buffer.alloc(0);
  return typeof bytes === 'string' ? Buffer.from(bytes) : Buffer.from(bytes.base64, 'base64');
}

export function asBytes(buffer: Buffer): Bytes {
  const text = buffer.toString();
  return Buffer.from(text).equals(buffer) ? text : { base64: buffer.toString('base64') };
}
