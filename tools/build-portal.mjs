// Builds the portal if its sources have changed: before npm start, npm test and npm run build.
// Plain JavaScript, because the Node that runs this may be too old for TypeScript.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Folders and files that the portal is built from, relative to the repository. */
const sources = [
  'package-lock.json',
  'tsconfig.json',
  'tools/build-portal.mjs',
  'examples/signing',
  'packages/client/examples',
  'packages/portal/contract-plugin.ts',
  'packages/portal/documents',
  'packages/portal/first-paint-plugin.ts',
  'packages/portal/index.html',
  'packages/portal/package.json',
  'packages/portal/public',
  'packages/portal/react-in-browsers.ts',
  'packages/portal/src',
  'packages/portal/tsconfig.json',
  'packages/portal/vite.config.ts',
  'packages/contract/package.json',
  'packages/contract/src',
  'packages/explain/package.json',
  'packages/explain/src',
  'packages/signature/package.json',
  'packages/signature/src',
  'packages/server/src/reference',
  'tools/documents/markdown.ts',
];
/** Markdown files and examples that the portal shows are in these folders, and README files of these packages. */
const documentFolders = ['docs', 'signers'];
const documentPackages = ['cli', 'client', 'signature'];
const folder = 'packages/portal/dist';
const stampFile = join(folder, '.built-from');

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const documents = [
  ...documentFolders.flatMap(filesIn).filter((path) => /\.md$|[\\/]examples[\\/]/.test(path)),
  ...documentPackages.map((name) => `packages/${name}/README.md`),
];
const stamp = `${hashOf([...sources, ...documents])}\n`;
if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) await build();

async function build() {
  console.error('Building the portal (about 10 seconds, once)…');
  // Built next to its place and then moved there as a whole, so that a service that starts meanwhile reads
  // either build completely.
  const fresh = `${folder}-${process.pid}`;
  const others = otherLanguages().map((language) => ({ language, target: `${fresh}-${language}` }));
  const builds = [{ language: 'en', target: fresh }, ...others];
  const failures = await Promise.all(builds.map(({ language, target }) => buildIn(language, target)));
  const failure = failures.find((text) => text !== undefined);
  if (failure !== undefined) {
    for (const { target } of builds) rmSync(target, { recursive: true, force: true });
    stop(`${failure}The portal could not be built.`);
  }
  for (const { language, target } of others) addLanguage(language, target, fresh);
  await Promise.all(filesIn(fresh).map(compress));
  writeFileSync(join(fresh, '.built-from'), stamp);
  mkdirSync(folder, { recursive: true });
  const old = `${fresh}-old`;
  renameSync(folder, old);
  renameSync(fresh, folder);
  rmSync(old, { recursive: true, force: true });
}

/** The folders of texts besides English. */
function otherLanguages() {
  const texts = 'packages/portal/src/messages';
  if (!existsSync(texts)) return [];
  return readdirSync(texts).filter((name) => /^[a-z]{2}$/.test(name) && name !== 'en');
}

/** Returns what the bundler said if it failed. */
async function buildIn(/** @type {string} */ language, /** @type {string} */ target) {
  const vite = join('node_modules', 'vite', 'bin', 'vite.js');
  const options = ['--outDir', join(process.cwd(), target), '--emptyOutDir', '--logLevel', 'error'];
  const program = [vite, 'build', 'packages/portal', ...options];
  // Explicit, because the caller's environment (NODE_ENV=test) would change the build.
  const env = { ...process.env, NODE_ENV: 'production', NO_COLOR: '1', PORTAL_LANGUAGE: language };
  const bundler = spawn(nodeProgram(), program, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [bundler.stdout, bundler.stderr])
    stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => (said += text));
  try {
    const [status] = await once(bundler, 'close');
    return status === 0 ? undefined : said;
  } catch (error) {
    return `${said}${/** @type {Error} */ (error).message}\n`;
  }
}

/** Adds the build of another language. Files have the hash of their content in their name, so equal ones are there once. */
function addLanguage(
  /** @type {string} */ language,
  /** @type {string} */ source,
  /** @type {string} */ target,
) {
  renameSync(join(source, 'index.html'), join(source, `index.${language}.html`));
  renameSync(join(source, 'manifest.json'), join(source, `manifest.${language}.json`));
  cpSync(source, target, { recursive: true });
  rmSync(source, { recursive: true, force: true });
}

/** Compresses ahead of time: the service sends the files as they are. */
async function compress(/** @type {string} */ path) {
  if (!/\.(css|js|json|svg|txt)$/.test(path) || /manifest(\.\w+)?\.json$/.test(path)) return;
  const bytes = readFileSync(path);
  if (bytes.length < 1024) return;
  const quality = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  const [inGzip, inBrotli] = await Promise.all([
    promisify(gzip)(bytes, { level: 9 }),
    promisify(brotliCompress)(bytes, { params: quality }),
  ]);
  writeFileSync(`${path}.gz`, inGzip);
  writeFileSync(`${path}.br`, inBrotli);
}

/** The pinned Node, if there is one for this platform. */
function nodeProgram() {
  const bundled = join('node_modules', '.bin', 'node');
  return process.platform !== 'win32' && existsSync(bundled) ? bundled : process.execPath;
}

function hashOf(/** @type {string[]} */ paths) {
  const hash = createHash('sha256');
  for (const path of paths.flatMap(filesIn)) {
    const content = createHash('sha256').update(readFileSync(path)).digest('hex');
    hash.update(`${path.replaceAll('\\', '/')} ${content}\n`);
  }
  return hash.digest('hex');
}

/** Returns a file's own path, or all files below a folder. */
function filesIn(/** @type {string} */ path) {
  if (!existsSync(path)) return [];
  try {
    const names = readdirSync(path, { withFileTypes: true });
    const found = names.map((entry) => ({ path: join(path, entry.name), isFolder: entry.isDirectory() }));
    /** @type {string[]} */
    const files = found.flatMap((each) => (each.isFolder ? filesIn(each.path) : [each.path]));
    return files.toSorted();
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOTDIR') return [path];
    throw error;
  }
}

function stop(/** @type {string} */ sentence) {
  console.error(sentence);
  process.exit(1);
}
