/** One segment of a path pattern. */
export type PatternSegment =
  | { readonly kind: 'literal'; readonly text: string }
  /** Matches a segment that has these texts in this order, with at least one character between any two of them. */
  | { readonly kind: 'parameter'; readonly texts: readonly string[] }
  /** Matches one or more segments. */
  | { readonly kind: 'segments' };

/** A path pattern: segments, and optionally everything below them. */
export interface PathPattern {
  /** The pattern as written. */
  readonly text: string;
  readonly segments: readonly PatternSegment[];
  /** True if it ends in `/**`: it matches its segments and every path below them. */
  readonly matchesBelow: boolean;
}

/**
 * Reads a path pattern, such as `/invoices/{invoiceId}`, `/reports/{name}.{format}`, `/images/{name+}/tags`
 * or `/files/**`. Literal text is compared with the raw path, so write it as clients send it, including
 * percent-encoding.
 *
 * @returns the pattern, or what is wrong with it
 */
export function readPathPattern(text: string): PathPattern | string {
  if (!text.startsWith('/')) return 'a path starts with "/"';
  if (!/^[\x21-\x7e]+$/.test(text)) return 'a path must be visible ASCII; percent-encode anything else';
  if (/[?#]/.test(text)) return 'a path cannot have a query or a fragment';
  const matchesBelow = text.endsWith('/**');
  const path = matchesBelow ? text.slice(0, -3) : text;
  if (path.includes('*'))
    return '"**" can only be the last segment, and "*" cannot be used: name the parameter, like {id}';
  const segments: PatternSegment[] = [];
  const names = new Set<string>();
  for (const part of path === '' ? [] : path.slice(1).split('/')) {
    const segment = readSegment(part, names);
    if (typeof segment === 'string') return segment;
    segments.push(segment);
  }
  const open = segments.filter(({ kind }) => kind === 'segments').length + (matchesBelow ? 1 : 0);
  if (open > 1) return 'only one part of a path may match several segments: one {name+}, or "/**" at the end';
  return { text, segments, matchesBelow };
}

const parameterName = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

function readSegment(text: string, names: Set<string>): PatternSegment | string {
  if (!/[{}]/.test(text)) return { kind: 'literal', text };
  const isOpen = text.startsWith('{') && text.endsWith('+}');
  // Names are at the odd indexes.
  const parts = (isOpen ? `${text.slice(0, -2)}}` : text).split(/\{([^{}]*)\}/);
  const texts = parts.filter((_, index) => index % 2 === 0);
  const isRead =
    parts.every((part, index) => (index % 2 === 0 ? !/[{}]/.test(part) : parameterName.test(part))) &&
    texts.slice(1, -1).every((between) => between !== '') &&
    (!isOpen || parts.length === 3);
  if (!isRead)
    return `${JSON.stringify(text)} must be text with {parameters} that have text between them, or one {parameter+}`;
  for (const name of parts.filter((_, index) => index % 2 === 1)) {
    if (names.has(name)) return `the parameter {${name}} occurs twice`;
    names.add(name);
  }
  return isOpen ? { kind: 'segments' } : { kind: 'parameter', texts };
}

/** Formats a pattern without the names of its parameters: patterns that match the same paths have the same shape. */
export function shapeOf({ segments, matchesBelow }: PathPattern): string {
  const parts = segments.map((segment) => {
    if (segment.kind === 'literal') return segment.text;
    return segment.kind === 'parameter' ? segment.texts.join('{}') : '{+}';
  });
  return `/${[...parts, ...(matchesBelow ? ['**'] : [])].join('/')}`;
}

/**
 * Returns a path, or the literal text of a pattern, as the most tolerant server reads it: percent-decoded, in lower
 * case, with compatible characters as one. Routes must not depend on these differences.
 */
export function folded(text: string): string {
  const decoded = decodedPath(text);
  if (/^[\0-\x7f]*$/.test(decoded)) return decoded.toLowerCase();
  // `ſ` and `ı` become ASCII letters in upper case, `K` and `İ` in lower case, the latter with a separate dot.
  return decoded.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('\u0307', '');
}

/** Returns a percent-decoded path. Bytes that are not UTF-8 become one character each. */
export function decodedPath(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
}

/** Removes the trailing slash of a path, which many servers ignore. */
export function withoutFinalSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
