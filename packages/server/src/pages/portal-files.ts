import { createHash, randomBytes } from 'node:crypto';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Answer, type RequestHead, valuesOf } from '@countersign/gate';
import { type Brand, brandFolder, brandPage } from './brand.ts';
import { languageOf } from './page-language.ts';
import type { Awaitable } from '@countersign/signature/profile';
import { type FindPage, isReading, knownVersions, pageRoute } from './page-route.ts';

/** The built portal's folder: beside this package in the repository, inside it when published. */
const builtPortalFolder = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../portal/dist/' : '../../portal/', import.meta.url),
);

/** The placeholder in the page for the nonce, which differs in each response. */
const noncePlace = '__CSP_NONCE__';

/**
 * Serves the portal's files. A path is only ever looked up among the names that the folder has at the start, so none can leave it; a
 * file is read when it is first asked for, and kept.
 *
 * `/` redirects to `/portal/`. Every path below it that is not a file returns the page, in the person's language, which
 * does its own routing. Paths below `/portal/auth` belong to the sign-in. A signed request always calls the API and never
 * gets a page.
 *
 * @param folder the portal's build output, by default this program's own; if it contains no page, the responses
 *   explain how to build it
 * @param brand what replaces the portal's own logo and accent colour
 */
export function openPortalFiles(folder?: string, brand: Brand = {}): FindPage {
  const { files, pages } = withBrand(folder === undefined ? readOwnBuild() : readBuild(folder), brand);
  const languages = [...pages.keys()];
  return (head) => {
    if (!isForPage(head)) return undefined;
    const { path } = head;
    if (path === '/' || path === '/portal') return pageRoute(() => redirect('/portal/'));
    if (!path.startsWith('/portal/') || path === '/portal/auth' || path.startsWith('/portal/auth/'))
      return undefined;
    const name = path.slice('/portal/'.length);
    return pageRoute(() => {
      const file = files.get(name);
      if (file !== undefined) return answerFile(head, file);
      // A missing file of another version must not return the page: the browser would read it as a broken script.
      if (name.startsWith(hashedFolder) || name.startsWith(brandFolder)) return answerMissing();
      if (languages.length === 0) return answerText(503, notBuilt);
      const language = languageOf(head, languages);
      return answerPage(pages.get(language)!, language);
    });
  };
}

/** The portal's build output. */
interface Build {
  readonly files: ReadonlyMap<string, PortalFile>;
  /** The page in each language, by its tag, English first. None if it is not built. */
  readonly pages: ReadonlyMap<string, string>;
  /** The portal's own logo. */
  readonly icon: Buffer | undefined;
}

/** A file in each available coding. */
interface PortalFile {
  readonly type: string;
  readonly isHashed: boolean;
  /** Whether somebody else made it: nothing in it may run, even if it is opened directly. */
  readonly isForeign?: boolean;
  readonly plain: Representation;
  readonly codings: readonly { readonly name: 'br' | 'gzip'; readonly representation: Representation }[];
}

/** Returns what is sent; undefined if the file has been removed since the start. */
type Representation = () => Awaitable<Sent | undefined>;

interface Sent {
  readonly bytes: Buffer;
  readonly entityTag: string;
}

/** Names in this folder contain a hash of the file's content, so the files never change. */
const hashedFolder = 'assets/';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

const notBuilt = `The portal is not built.

npm start builds it, and so does: node tools/build-portal.mjs
Then start the service again. The API and /docs work without it.
`;

/**
 * Returns true if a browser may be requesting a page. A request with a body or a signature is handled like any
 * other.
 */
function isForPage(head: RequestHead): boolean {
  const isSigned = ['signature', 'signature-input'].some(
    (name) => valuesOf(head.rawHeaders, name).length > 0,
  );
  return isReading(head) && !isSigned;
}

function readBuild(folder: string): Build {
  return { files: listFiles(folder), pages: readPages(folder), icon: readIfThere(join(folder, 'icon.svg')) };
}

let ownBuild: Build | undefined;

/** Reads this program's build once for all services of a process. */
function readOwnBuild(): Build {
  return (ownBuild ??= readBuild(builtPortalFolder));
}

/** Adds the files of a brand, and what it changes in the pages. */
function withBrand(build: Build, brand: Brand): Build {
  if (build.icon === undefined || Object.keys(brand).length === 0) return build;
  const branded = brandPage(brand, { type: types['.svg']!, bytes: build.icon, ratio: 1 });
  const added = [...branded.files].map(([name, { type, bytes }]): [string, PortalFile] => [
    name,
    { type, isHashed: true, isForeign: true, plain: () => whole(bytes), codings: [] },
  ]);
  const pages = [...build.pages].map(([language, page]): [string, string] => [
    language,
    branded.change(page),
  ]);
  return { ...build, files: new Map([...build.files, ...added]), pages: new Map(pages) };
}

function listFiles(folder: string): ReadonlyMap<string, PortalFile> {
  const names = new Set(namesIn(folder));
  const files = new Map<string, PortalFile>();
  for (const name of names) {
    const type = types[extname(name)];
    // Manifests are for the build; the page is rendered for each response.
    if (type === undefined || /^manifest(\.\w+)?\.json$/.test(name)) continue;
    const path = join(folder, name);
    const codings = (
      [
        ['br', '.br'],
        ['gzip', '.gz'],
      ] as const
    ).flatMap(([coding, extension]) =>
      names.has(name + extension) ? [{ name: coding, representation: readOnce(path + extension) }] : [],
    );
    files.set(name, { type, isHashed: name.startsWith(hashedFolder), plain: readOnce(path), codings });
  }
  return files;
}

/** Returns the paths of all files below a folder, with `/`; none if it is not there. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
      name.replaceAll('\\', '/'),
    );
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Keeps what was read. A failure is not kept. */
function readOnce(path: string): Representation {
  let kept: ReturnType<Representation>;
  const read = async (): Promise<Sent | undefined> => {
    try {
      return (kept = whole(await readFile(path)));
    } catch (error) {
      kept = undefined;
      if (isMissing(error)) return undefined;
      throw error;
    }
  };
  return () => (kept ??= read());
}

function whole(bytes: Buffer): Sent {
  return { bytes, entityTag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}

function readPages(folder: string): ReadonlyMap<string, string> {
  const english = readIfThere(join(folder, 'index.html'))?.toString('utf8');
  if (english === undefined) return new Map();
  const others = globSync('index.*.html', { cwd: folder }).map((path): [string, string] => [
    path.split('.')[1]!,
    readFileSync(join(folder, path), 'utf8'),
  ]);
  return new Map([['en', english], ...others]);
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

async function answerFile(head: RequestHead, file: PortalFile): Promise<Answer> {
  const accepted = acceptedCodings(valuesOf(head.rawHeaders, 'accept-encoding').join(','));
  const coding = file.codings.find(({ name }) => accepted.has(name));
  const sent = await (coding?.representation ?? file.plain)();
  if (sent === undefined) return answerMissing();
  const fields = {
    'Content-Type': file.type,
    'Content-Security-Policy': file.isForeign ? foreignPolicy : filePolicy,
    'Cache-Control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    Vary: 'Accept-Encoding',
    ETag: sent.entityTag,
    ...(coding !== undefined && { 'Content-Encoding': coding.name }),
  };
  return knownVersions(head).includes(sent.entityTag)
    ? pageAnswer(304, fields)
    : pageAnswer(200, fields, sent.bytes);
}

/** Returns the codings that a browser accepts (RFC 9110 section 12.5.3); a weight of 0 means not acceptable. */
function acceptedCodings(header: string): ReadonlySet<string> {
  const accepted = new Set<string>();
  for (const part of header.split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    if (!parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) accepted.add(name);
  }
  return accepted;
}

function answerPage(page: string, language: string): Answer {
  const nonce = randomBytes(18).toString('base64url');
  const fields = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': language,
    'Content-Security-Policy': pagePolicy(nonce),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': permissionsPolicy,
    'Cache-Control': 'no-store',
  };
  return pageAnswer(200, fields, Buffer.from(page.replaceAll(noncePlace, nonce)));
}

/**
 * Builds the page's policy: it may run the service's files and call the service. The nonce permits the styles that its
 * UI library adds at runtime; anything injected into the page has no nonce.
 */
function pagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The policy for a file opened directly or run as a worker: it may load the service's scripts and nothing else. */
const filePolicy = "default-src 'none'; script-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/** The policy for an image that somebody else made: it may style itself, and neither run nor load anything. */
const foreignPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

/** Disables every browser feature that the page doesn't need; passkeys and the clipboard stay available. */
const permissionsPolicy = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'serial',
  'usb',
]
  .map((feature) => `${feature}=()`)
  .join(', ');

function redirect(location: string): Answer {
  return pageAnswer(302, { Location: location, 'Cache-Control': 'no-store' });
}

function answerMissing(): Answer {
  return answerText(404, 'There is no such file.\n');
}

function answerText(status: number, text: string): Answer {
  const fields = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Security-Policy': filePolicy,
    'Cache-Control': 'no-store',
  };
  return pageAnswer(status, fields, Buffer.from(text));
}

function pageAnswer(status: number, fields: Readonly<Record<string, string>>, bytes?: Buffer): Answer {
  const headers = {
    ...fields,
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
  };
  return { status, headers, ...(bytes && { bytes }) };
}
