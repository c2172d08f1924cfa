/** One segment of a path pattern. */
export type PatternSegment =
  | { readonly kind: 'literal'; readonly text: string }
  /** Matches a segment that starts and ends with these texts and has at least one character between them. */
  | {
      readonly kind: 'parameter';
      readonly name: string;
      readonly prefix: string;
      readonly suffix: string;
    };

/** A path pattern: segments, and optionally everything below them. */
export interface PathPattern {
  /** The pattern as written. */
  readonly text: string;
  readonly segments: readonly PatternSegment[];
  /** True if it ends in `/**`: it matches its segments and every path below them. */
  readonly matchesBelow: boolean;
}

/**
 * Reads a path pattern, such as `/invoices/{invoiceId}`, `/reports/{name}.csv` or `/files/**`. Literal text is compared
 * with the raw path, so it is written as it is sent, percent-encoding included.
 *
 * @returns the pattern, or what is wrong with it
 */
export function readPathPattern(text: string): PathPattern | string {
  if (!text.startsWith('/')) return 'a path starts with "/"';
  if (!/^[\x21-\x7e]+$/.test(text)) return 'a path has visible ASCII only; percent-encode anything else';
  if (/[?#]/.test(text)) return 'a path has no query and no fragment';
  const matchesBelow = text.endsWith('/**');
  const path = matchesBelow ? text.slice(0, -3) : text;
  if (path.includes('*'))
    return '"**" may be the last segment only, and "*" nothing else: name it, like {id}';
  const segments: PatternSegment[] = [];
  const names = new Set<string>();
  for (const part of path === '' ? [] : path.slice(1).split('/')) {
    const segment = readSegment(part);
    if (typeof segment === 'string') return segment;
    if (segment.kind === 'parameter') {
      if (names.has(segment.name)) return `the parameter {${segment.name}} comes twice`;
      names.add(segment.name);
    }
    segments.push(segment);
  }
  return { text, segments, matchesBelow };
}

const parameterForm = /^([^{}]*)\{([A-Za-z_][A-Za-z0-9_.-]*)\}([^{}]*)$/;

function readSegment(text: string): PatternSegment | string {
  if (!/[{}]/.test(text)) return { kind: 'literal', text };
  const [, prefix = '', name = '', suffix = ''] = parameterForm.exec(text) ?? [];
  if (name === '') return `${JSON.stringify(text)} must be text with at most one {parameter}`;
  return { kind: 'parameter', name, prefix, suffix };
}

/**
 * Returns a path, or the literal text of a pattern, as the most tolerant server reads it: percent-decoded, in lower
 * case, with compatible characters as one. Routes must not depend on these differences.
 */
export function folded(text: string): string {
  const decoded = decodedPath(text);
  if (/^[\0-\x7f]*$/.test(decoded)) return decoded.toLowerCase();
  // `ſ` and `ı` are letters of ASCII in upper case, `K` and `İ` in lower case, the latter with a dot of its own.
  return decoded.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('\u0307', '');
}

/** Returns a percent-decoded path. Bytes that are no UTF-8 become one character each. */
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

/** Removes the slash at the end of a path, which many servers ignore. */
export function withoutFinalSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
