import { createHash, randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isReading, knownVersions } from './page-request.ts';

/** Answers the page of the portal and its files; false when the request is for something else. */
export type PortalFiles = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Where the built portal is: in the repository beside this package, in the published package within it. */
const builtPortalFolder = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../portal/dist/' : '../../portal/', import.meta.url),
);

/** What the page says in the place of the nonce, which is another one in each answer. */
const noncePlace = '__CSP_NONCE__';

/**
 * Reads the files of the portal into memory, so that no request reaches the file system and no path can leave the folder.
 *
 * `/` leads to `/portal/`, and every path below it that is no file gives the page, which knows what to show there. Paths
 * below `/portal/auth` are left to the sign-in. What is signed is a call of the API and no page, wherever it goes.
 *
 * @param folder what the build of the portal wrote, the one of this program unless set; when there is no page in it, the
 *   answers say how it is built
 */
export function openPortalFiles(folder?: string): PortalFiles {
  const { files, page } = folder === undefined ? readOwnBuild() : readBuild(folder);
  return (request, response) => {
    if (!isForPage(request)) return false;
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    if (path === '/' || path === '/portal') return redirect(response, '/portal/');
    if (!path.startsWith('/portal/') || path === '/portal/auth' || path.startsWith('/portal/auth/'))
      return false;
    const name = path.slice('/portal/'.length);
    const file = files.get(name);
    if (file !== undefined) sendFile(request, response, file);
    // A file of another version must not be answered with a page, which the browser would take for a broken script.
    else if (name.startsWith(hashedFolder)) sendText(response, 404, 'There is no such file.\n');
    else if (page === undefined) sendText(response, 503, notBuilt);
    else sendPage(response, page);
    return true;
  };
}

/** What the build of the portal wrote. */
interface Build {
  readonly files: ReadonlyMap<string, PortalFile>;
  /** Undefined when it is not built. */
  readonly page: string | undefined;
}

/** One file in each coding that it is there in. */
interface PortalFile {
  readonly type: string;
  readonly isHashed: boolean;
  readonly bytes: Buffer;
  readonly entityTag: string;
  readonly codings: readonly { readonly name: 'br' | 'gzip'; readonly bytes: Buffer }[];
}

/** The names of the files in it contain a hash of their content: they never change. */
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

/** Whether it can be a browser that wants a page: what has a body or a signature goes the way of all other requests. */
function isForPage(request: IncomingMessage): boolean {
  if (!isReading(request)) return false;
  const { headers } = request;
  return headers['signature'] === undefined && headers['signature-input'] === undefined;
}

function readBuild(folder: string): Build {
  return { files: readFiles(folder), page: readPage(folder) };
}

let ownBuild: Build | undefined;

/** It belongs to the program, and is read once for all services of a process. */
function readOwnBuild(): Build {
  return (ownBuild ??= readBuild(builtPortalFolder));
}

function readFiles(folder: string): ReadonlyMap<string, PortalFile> {
  const files = new Map<string, PortalFile>();
  for (const path of globSync('**/*', { cwd: folder })) {
    const type = types[extname(path)];
    // The list of files is for the build; the page is made anew for each answer.
    if (type === undefined || path === 'manifest.json') continue;
    const name = path.replaceAll('\\', '/');
    const bytes = readFileSync(join(folder, path));
    files.set(name, {
      type,
      isHashed: name.startsWith(hashedFolder),
      bytes,
      entityTag: createHash('sha256').update(bytes).digest('base64url').slice(0, 22),
      codings: [
        ...readCoded(join(folder, path), '.br', 'br'),
        ...readCoded(join(folder, path), '.gz', 'gzip'),
      ],
    });
  }
  return files;
}

function readCoded(path: string, extension: string, name: 'br' | 'gzip'): PortalFile['codings'] {
  const bytes = readIfThere(path + extension);
  return bytes === undefined ? [] : [{ name, bytes }];
}

function readPage(folder: string): string | undefined {
  return readIfThere(join(folder, 'index.html'))?.toString('utf8');
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function sendFile(request: IncomingMessage, response: ServerResponse, file: PortalFile): void {
  const accepted = acceptedCodings(request.headers['accept-encoding']);
  const coding = file.codings.find(({ name }) => accepted.has(name));
  const entityTag = `"${file.entityTag}${coding === undefined ? '' : `-${coding.name}`}"`;
  const fields = {
    'Content-Type': file.type,
    'Content-Security-Policy': filePolicy,
    'Cache-Control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    Vary: 'Accept-Encoding',
    ETag: entityTag,
    ...(coding !== undefined && { 'Content-Encoding': coding.name }),
  };
  if (knownVersions(request).includes(entityTag)) send(response, 304, fields);
  else send(response, 200, fields, coding?.bytes ?? file.bytes);
}

/** The codings that a browser takes (RFC 9110 section 12.5.3); one that it weighs with 0 it does not take. */
function acceptedCodings(header: string | string[] | undefined): ReadonlySet<string> {
  const accepted = new Set<string>();
  for (const part of String(header ?? '').split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    if (!parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) accepted.add(name);
  }
  return accepted;
}

function sendPage(response: ServerResponse, page: string): void {
  const nonce = randomBytes(18).toString('base64url');
  const fields = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': pagePolicy(nonce),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': permissionsPolicy,
    'Cache-Control': 'no-store',
  };
  send(response, 200, fields, Buffer.from(page.replaceAll(noncePlace, nonce)));
}

/**
 * What the page may do: run the files of the service, and speak with the service. Styles that its library makes while it
 * runs have the nonce; nothing that somebody writes into the page has.
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

/** What a file may do that is opened for itself, or runs as a worker: load scripts of the service, and nothing else. */
const filePolicy = "default-src 'none'; script-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/** What no part of the page needs; passkeys and the clipboard stay. */
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

function redirect(response: ServerResponse, location: string): true {
  send(response, 302, { Location: location, 'Cache-Control': 'no-store' });
  return true;
}

function sendText(response: ServerResponse, status: number, text: string): void {
  const fields = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Security-Policy': filePolicy,
    'Cache-Control': 'no-store',
  };
  send(response, status, fields, Buffer.from(text));
}

function send(
  response: ServerResponse,
  status: number,
  fields: Readonly<Record<string, string>>,
  body?: Buffer,
): void {
  const length = status === 304 ? undefined : { 'Content-Length': body?.length ?? 0 };
  response.writeHead(status, {
    ...fields,
    ...length,
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
  });
  response.end(body);
}
