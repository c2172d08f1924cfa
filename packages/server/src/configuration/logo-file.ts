import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** The provider's logo, as read from its file. */
export interface LogoFile {
  readonly type: 'image/png' | 'image/svg+xml';
  readonly bytes: Buffer;
  /** The width divided by the height. */
  readonly ratio: number;
}

/** Every page loads it. */
const bytesMax = 262_144;
const pixelsMax = 4096;

/**
 * Reads a logo and makes sure that it is an image. SVG files with scripts, or with anything that an image would not load, are
 * rejected: whoever made them expects more than an image does.
 */
export function readLogoFile(path: string): LogoFile | { readonly mistake: string } {
  const bytes = readBytes(path);
  if (!Buffer.isBuffer(bytes)) return bytes;
  return bytes.subarray(0, 8).equals(pngSignature) ? readPng(bytes) : readSvg(bytes);
}

function readBytes(path: string): Buffer | { readonly mistake: string } {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const stats = fstatSync(file);
    if (!stats.isFile()) return { mistake: 'must be a file' };
    if (stats.size > bytesMax) return { mistake: `must have at most ${bytesMax / 1024} KiB` };
    const bytes = Buffer.alloc(stats.size);
    return bytes.subarray(0, readSync(file, bytes, 0, stats.size, 0));
  } catch (error) {
    return { mistake: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** PNG, third edition, section 5.2. */
const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');

/** Reads the size from the header, which is always the first chunk (section 11.2.1). */
function readPng(bytes: Buffer): ReturnType<typeof readLogoFile> {
  if (bytes.length < 33 || bytes.toString('latin1', 12, 16) !== 'IHDR')
    return { mistake: 'is not a complete PNG file' };
  // Its last chunk, which has no data.
  if (!bytes.includes('IEND', bytes.length - 12, 'latin1')) return { mistake: 'is not a complete PNG file' };
  const width = bytes.readUInt32BE(16);
  const height = bytes.readUInt32BE(20);
  if (width === 0 || height === 0 || width > pixelsMax || height > pixelsMax)
    return { mistake: `must be at most ${pixelsMax} pixels wide and high` };
  return withRatio({ type: 'image/png', bytes, ratio: width / height });
}

function readSvg(bytes: Buffer): ReturnType<typeof readLogoFile> {
  const text = textOf(bytes);
  const [root = ''] = /<svg(?:\s[^>]*)?>/.exec(text ?? '') ?? [];
  if (text === undefined || !/^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<svg[\s>]/.test(text))
    return { mistake: 'must be a PNG or SVG file; an SVG begins with <svg and has no DOCTYPE' };
  if (!/\sxmlns\s*=\s*["']http:\/\/www\.w3\.org\/2000\/svg["']/.test(root) || !/<\/svg\s*>\s*$/.test(text))
    return { mistake: 'is not a complete SVG file: <svg xmlns="http://www.w3.org/2000/svg"> … </svg>' };
  const active = activeParts.find(({ pattern }) => pattern.test(text));
  if (active) return { mistake: `must not contain ${active.name}` };
  const ratio = ratioOf(root);
  if (ratio === undefined) return { mistake: 'has no size: add a viewBox to <svg>' };
  return withRatio({ type: 'image/svg+xml', bytes, ratio });
}

function textOf(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/**
 * What an image of a page neither runs nor loads, in any namespace. It is served with a policy that forbids all of it anyway.
 */
const activeParts: readonly { readonly pattern: RegExp; readonly name: string }[] = [
  { pattern: /<!(?:DOCTYPE|ENTITY)/i, name: 'a DOCTYPE or entities' },
  { pattern: /<\?(?!xml\s)/i, name: 'processing instructions' },
  {
    pattern: /<(?:[\w.-]+:)?(?:script|handler|listener)\b/i,
    name: 'scripts',
  },
  {
    pattern: /<(?:[\w.-]+:)?(?:foreignObject|iframe|object|embed|audio|video|link|meta|base)\b/i,
    name: 'HTML or other documents (foreignObject, iframe, …)',
  },
  { pattern: /[\s"'/](?:[\w.-]+:)?on[a-z]+\s*=/i, name: 'event handlers (onload=…)' },
  // Character references would hide the name of a scheme.
  { pattern: /(?:java|vb)script\s*:/i, name: 'javascript: links' },
  {
    pattern: /(?:href|src)\s*=\s*(?!"#|'#|["']data:image\/(?:png|jpeg|webp|gif)[;,])/i,
    name: 'links to anything but its own parts and embedded PNG, JPEG, WebP or GIF images',
  },
  { pattern: /@import|url\(\s*(?!["']?#)(?!&quot;#)/i, name: 'styles or images of other files' },
];

/** Reads the size from the view box, or from the width and height. */
function ratioOf(root: string): number | undefined {
  const attribute = (name: string): string =>
    new RegExp(`\\s${name}\\s*=\\s*["']([^"']*)["']`).exec(root)?.[1] ?? '';
  const box = attribute('viewBox')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const plain = [attribute('width'), attribute('height')].map((text) =>
    Number(text.replace(/px$/, '') || NaN),
  );
  const [width = NaN, height = NaN] = box.length === 4 ? box.slice(2) : plain;
  return width > 0 && height > 0 && Number.isFinite(width / height) ? width / height : undefined;
}

/** Anything longer would be a line. */
const ratioMax = 10;

function withRatio(logo: LogoFile): ReturnType<typeof readLogoFile> {
  if (logo.ratio <= ratioMax && logo.ratio >= 1 / ratioMax) return logo;
  return { mistake: `must be at most ${ratioMax} times as wide as high, and the reverse` };
}
