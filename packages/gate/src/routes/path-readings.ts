import { decodedPath } from './path-pattern.ts';

/**
 * Returns every path that some server may read a raw path as, including itself; undefined if there are too
 * many. Servers do these steps in any order, some of them, and some twice.
 */
export function readingsOf(path: string): ReadonlySet<string> | undefined {
  if (path.length > pathLengthMax) return undefined;
  const readings = new Set([path]);
  // Iterating over a set also visits the elements that are added meanwhile.
  for (const reading of readings) {
    for (const step of steps) {
      const read = step(reading);
      readings.add(read.startsWith('/') ? read : `/${read}`);
    }
    if (readings.size > readingsMax) return undefined;
  }
  return readings;
}

/** Strangers choose paths, so the work per path is bounded. */
const pathLengthMax = 512;
const readingsMax = 40;

const steps: readonly ((path: string) => string)[] = [
  decodedPath,
  (path) =>
    path.replace(/%u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  (path) => path.replace(overlong, (bytes) => String.fromCharCode(lowBitsOf(bytes))),
  (path) => path.replace(/%(?![0-9a-f]{2})/gi, ''),
  (path) => path.normalize('NFKC'),
  (path) => path.replaceAll('\\', '/'),
  (path) => path.replace(/\/{2,}/g, '/'),
  withoutDotSegments,
  (path) => path.replace(/;[^/]*/g, ''),
  // Some servers end a path at NUL, and some drop control characters.
  (path) => path.replace(/[?#\0].*$/s, ''),
  (path) => path.replace(/[\0-\x1f\x7f]/g, ''),
  // Windows drops both at the end of a name.
  (path) => path.replace(/[. ]+(?=\/|$)/g, ''),
];

/** UTF-8 in more bytes than the character needs: ASCII characters in two, three or four. */
const overlong =
  /%c[01]%[89ab][0-9a-f]|%e0%[89][0-9a-f]%[89ab][0-9a-f]|%f0%8[0-9a-f](?:%[89ab][0-9a-f]){2}/gi;

function lowBitsOf(percentEncoded: string): number {
  const [first = 0, ...others] = percentEncoded
    .split('%')
    .slice(1)
    .map((hex) => Number.parseInt(hex, 16));
  const begin = others.length === 1 ? first & 0x1f : 0;
  return others.reduce((code, byte) => (code << 6) | (byte & 0x3f), begin) & 0xffff;
}

/** RFC 3986 section 5.2.4. */
function withoutDotSegments(path: string): string {
  const kept: string[] = [];
  const segments = path.split('/').slice(1);
  segments.forEach((segment, index) => {
    const isLast = index === segments.length - 1;
    if (segment === '..') kept.pop();
    else if (segment !== '.') kept.push(segment);
    if (isLast && (segment === '.' || segment === '..')) kept.push('');
  });
  return `/${kept.join('/')}`;
}
