export interface UrlParts {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

/** Splits a URL without changing any of its text. */
export function splitUrl(text: string): UrlParts {
  const match = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/)?([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(text);
  return {
    scheme: match?.[1] ?? '',
    authority: match?.[2] ?? '',
    path: match?.[3] ?? text,
    query: match?.[4] ?? '',
    fragment: match?.[5] ?? '',
  };
}

/** Resolves the dot segments of a path that starts with a slash (RFC 3986 section 5.2.4). */
export function withoutDotSegments(path: string): string {
  const output: string[] = [];
  const segments = path.split('/').slice(1);
  segments.forEach((segment, index) => {
    const isLast = index === segments.length - 1;
    if (segment === '..') output.pop();
    if (segment !== '.' && segment !== '..') output.push(segment);
    else if (isLast) output.push('');
  });
  return `/${output.join('/')}`;
}

/**
 * Returns the leading segments of a path if they are its only difference from `rest`. Slashes and dots alone
 * do not count.
 */
export function prefixOf(path: string, rest: string): string | undefined {
  if (!rest.startsWith('/') || !path.endsWith(rest)) return undefined;
  const prefix = path.slice(0, path.length - rest.length);
  return /[^/]/.test(prefix) && !prefix.includes('/.') ? prefix : undefined;
}

/** Decodes percent-encoding as UTF-8. Undefined if the text is damaged. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Decodes percent-encoding and `+` as a space. Undefined if the text is damaged. */
export function decodedForm(text: string): string | undefined {
  return percentDecoded(text.replaceAll('+', ' '));
}
