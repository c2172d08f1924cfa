import { latin1Text, utf8Bytes } from '../byte-text.ts';
import { splitUrl, type UrlParts } from '../reading/url-parts.ts';
import { targetUriOf } from '../request-text/target-uri.ts';

/** One request as one program saw it: the caller, its HTTP client, a proxy, the service. */
export interface RequestView {
  /** The program whose view this is, such as `your program`. */
  readonly name: string;
  readonly method: string;
  /** The raw target: a path with its query, or the whole URL. Text beyond ASCII stands for its UTF-8. */
  readonly target: string;
  /** Raw header lines in order; names in any case, one character for each byte. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined if unknown, empty if there was none. */
  readonly body: Uint8Array | undefined;
}

/** A view that can be compared with others. */
export interface ReadView {
  readonly view: RequestView;
  /** The target as written, with an empty scheme if the view does not include it. One character for each byte. */
  readonly url: UrlParts;
  /** The URLs that the signature of this view may cover, the likeliest first. */
  readonly targetUris: readonly [string, ...string[]];
  /** The values of each header by lower-case name, in order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
}

/** Prepares the views of one request. Throws a RequestTextError for a view without a host. */
export function readViews(views: readonly RequestView[], baseUrls: readonly string[]): readonly ReadView[] {
  const targets = views.map(({ target }) => splitUrl(bytesAsText(target)));
  const scheme = targets.find((url) => url.scheme !== '')?.scheme.toLowerCase() ?? 'https://';
  return views.map((view, index): ReadView => {
    const headers = valuesByName(view.headers);
    const written = targets[index]!;
    const isWhole = written.scheme !== '';
    const authority = isWhole ? written.authority : (headers.get('host')?.[0] ?? '');
    const url = { ...written, authority };
    return {
      view,
      url,
      headers,
      targetUris: isWhole ? urisOf(url) : [builtUri(url, view, scheme, baseUrls)],
    };
  });
}

/** A program may sign a URL as written, or as a URL parser rewrites it. */
function urisOf(url: UrlParts): readonly [string, ...string[]] {
  const { path, query, fragment } = url;
  const origin = URL.parse(url.scheme + url.authority)?.origin ?? url.scheme + url.authority;
  const rest = (path === '' ? '/' : path) + query;
  const written = url.scheme + url.authority + path + query;
  return [written + fragment, written, origin + rest];
}

/** Builds the URL like the service: from the base URL that matches the host, or from the host. */
function builtUri(
  { authority, path, query, fragment }: UrlParts,
  view: RequestView,
  scheme: string,
  baseUrls: readonly string[],
): string {
  const target = path + query + fragment;
  const pasted = { ...view, target, source: view.name, notes: [] };
  if (baseUrls.length > 0 || authority === '') return targetUriOf(pasted, baseUrls).targetUri;
  return (URL.parse(scheme + authority)?.origin ?? scheme + authority) + target;
}

function valuesByName(lines: RequestView['headers']): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of lines) {
    const lower = name.toLowerCase();
    const known = values.get(lower);
    if (known) known.push(trimmed(value));
    else values.set(lower, [trimmed(value)]);
  }
  return values;
}

/** White space around a value is not part of it (RFC 9110 section 5.5). */
function trimmed(value: string): string {
  return value.replace(/^[ \t]+/, '').trimEnd();
}

function bytesAsText(text: string): string {
  return /[^\x00-\x7f]/.test(text) ? latin1Text(utf8Bytes(text)) : text;
}
