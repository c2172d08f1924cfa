import assert from 'node:assert/strict';
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { freePort } from '@countersign/testing/free-port';
import { waitFor, waitForResult, waitUntilUp } from '@countersign/testing/wait-until';
import { fetchPackage } from './fetched-packages.ts';
import { type InstalledPackages, installPackages, root } from './installed-packages.ts';
import { promisedNodes } from './nodes.ts';

const program = 'node_modules/countersign-server/bin/countersign-server.js';
const command = 'node_modules/countersign/bin/countersign.js';

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity: string }>>;
}

interface Bill {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly name: string } };
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  }[];
}

/** Its peer is @opentelemetry/api below 1.10. */
const sdkName = '@opentelemetry/sdk-trace-node';
const sdkVersion = '2.12.0';
// Both at once: they wait for the network.
const [sdk, nodes] = await Promise.all([fetchPackage(sdkName, sdkVersion), promisedNodes()]);

let packages: InstalledPackages;
const installed = (...path: string[]): string => join(packages.project, 'node_modules', ...path);
const bundled = (name: string): string => installed('countersign-server', 'node_modules', name);
const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

describe('the package of the service', () => {
  before(async () => {
    packages = await installPackages([
      'packages/signature',
      'packages/client',
      'packages/explain',
      'packages/cli',
      'packages/server',
    ]);
  });
  after(() => packages?.remove());

  it('holds what is built, and names no place of the machine that built it', () => {
    const files = globSync('**/*.*', {
      cwd: installed('countersign-server'),
      exclude: (path) => path === 'node_modules',
    });
    assert.ok(files.includes('bin/countersign-server.js') && files.includes('dist/main.js'));
    for (const file of files) {
      assert.match(
        file,
        /^(package\.json|sbom\.cdx\.json|README\.md|bin\/.+\.js|dist\/.+(\.d\.ts|\.js)|portal\/[^.].+)$/,
      );
      assert.equal(readFileSync(installed('countersign-server', file), 'utf8').includes(root), false, file);
    }
  });

  it('brings what it needs along, in the versions of the lockfile, and no private package', () => {
    const { dependencies, engines } = read(installed('countersign-server', 'package.json')) as {
      dependencies: Record<string, string>;
      engines: unknown;
    };
    assert.deepEqual(engines, { node: '>=24' });
    for (const [name, version] of Object.entries(dependencies)) {
      assert.match(version, /^\d+\.\d+\.\d+$/, name);
      const place = name.startsWith('@countersign/') ? installed(name) : bundled(name);
      assert.ok(existsSync(join(place, 'package.json')), name);
    }
    const lockfile = read(join(root, 'package-lock.json')) as Lockfile;
    const places = globSync('node_modules/**/package.json', { cwd: installed('countersign-server') })
      .map((path) => dirname(path))
      // Packages only: some have a package.json further down.
      .filter((path) => /(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/.test(path));
    assert.ok(places.length > 50, String(places.length));
    for (const place of places) {
      const { version } = read(installed('countersign-server', place, 'package.json')) as { version: string };
      assert.equal(version, lockfile.packages[place]?.version, place);
    }
    assert.equal(existsSync(installed('@countersign', 'contract')), false);
    assert.equal(existsSync(installed('@countersign', 'server')), false);
  });

  it('joins its code into a few files, and leaves the manifest, license and declarations of each package', () => {
    const ours = globSync('dist/**/*.js', { cwd: installed('countersign-server') });
    assert.ok(ours.length < 120, String(ours.length));
    const separate = globSync('node_modules/**/*.{js,cjs,mjs}', { cwd: installed('countersign-server') }).map(
      (path) => path.split(sep)[1],
    );
    const withCode = new Set(separate);
    assert.ok(withCode.has('pg') && withCode.has('@redis'));
    for (const name of ['kysely', 'zod', 'undici', 'yaml', 'nodemailer']) {
      assert.equal(withCode.has(name), false, name);
      const left = readdirSync(bundled(name), { recursive: true }).join('\n');
      assert.match(left, /^package\.json$/m);
      assert.match(left, /^licen[cs]e/im);
      if (name !== 'nodemailer') assert.match(left, /\.d\.ts$/m, name);
    }
    // Parts of a package may have another author and license than the package.
    assert.match(
      readFileSync(join(bundled('nodemailer'), 'LICENSE.notices.txt'), 'utf8'),
      /Copyright Mathias Bynens/,
    );
  });

  it('has a bill of materials: every package that it brings along, with its hash in the lockfile', () => {
    const bill = read(installed('countersign-server', 'sbom.cdx.json')) as Bill;
    assert.deepEqual([bill.bomFormat, bill.metadata.component.name], ['CycloneDX', 'countersign-server']);
    const lockfile = read(join(root, 'package-lock.json')) as Lockfile;
    const listed = new Map(bill.components.map((each) => [`${each.name}@${each.version}`, each]));
    for (const path of globSync('node_modules/**/package.json', { cwd: installed('countersign-server') })) {
      const locked = lockfile.packages[dirname(path)];
      if (locked === undefined) continue;
      const { name } = read(installed('countersign-server', path)) as { name: string };
      const hashes = listed.get(`${name}@${locked.version}`)?.hashes;
      const sha512 = Buffer.from(locked.integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
      assert.deepEqual(hashes, [{ alg: 'SHA-512', content: sha512 }], name);
    }
    for (const name of ['@countersign/explain', '@countersign/signature'])
      assert.ok(
        [...listed.keys()].some((each) => each.startsWith(`${name}@`)),
        name,
      );
  });

  it('explains itself, by its own name', async () => {
    const help = await packages.run(process.execPath, [program, '--help']);
    assert.equal(help.code, 0, help.errors);
    assert.match(help.out, /^ {2}countersign-server --help /m);
    assert.doesNotMatch(help.out, /^ {2}npm /m);
    const unknown = await packages.run(process.execPath, [program, '--port']);
    assert.deepEqual([unknown.code, /see: countersign-server --help/.test(unknown.errors)], [2, true]);
  });

  for (const { version, program: node } of nodes.filter((each) => isSupported(each.version))) {
    const skipNode = node === undefined && `npm cannot fetch Node ${version}`;
    it(`serves on Node ${version}: a client is answered, a stranger refused`, { skip: skipNode }, () =>
      assertServes(node ?? ''),
    );
  }

  for (const { version, program: node } of nodes.filter((each) => !isSupported(each.version))) {
    const skipNode = node === undefined && `npm cannot fetch Node ${version}`;
    it(`says on Node ${version} that it needs a newer one`, { skip: skipNode }, async () => {
      const { code, errors } = await packages.run(node ?? '', [program]);
      assert.deepEqual(
        [code, errors],
        [1, `countersign-server: this Node is ${version}. Install Node 24 or newer.\n`],
      );
    });
  }

  const skip = sdk === undefined && `npm cannot fetch ${sdkName} ${sdkVersion}`;
  it('is traced by an SDK that uses an older OpenTelemetry API than the newest', { skip }, async () => {
    const tracing = join(packages.project, 'tracing.mjs');
    writeFileSync(tracing, tracingModule(sdk ?? ''));
    const port = await freePort();
    const service = await startProgram({ port, options: ['--import', pathToFileURL(tracing).href] });
    try {
      const [span] = await Promise.all([
        waitForResult(firstSpan(service.stdout), 'a span'),
        fetch(`http://127.0.0.1:${port}/v1/whoami`),
      ]);
      assert.deepEqual(JSON.parse(span), { name: 'GET', code: 'signature_missing' });
    } finally {
      await stop(service);
    }
  });
});

function isSupported(version: string): boolean {
  return Number.parseInt(version, 10) >= 24;
}

/**
 * Adds a client with the installed command, and sends requests that need each thread of the service; then
 * stops it.
 */
async function assertServes(node: string): Promise<void> {
  const folder = mkdtempSync(join(packages.project, 'service-'));
  const key = join(folder, 'shop.pem');
  const publicKey = join(folder, 'shop.pub.pem');
  const data = join(folder, 'data');
  const port = await freePort();
  const call = (...argv: string[]): ReturnType<InstalledPackages['run']> =>
    packages.run(node, [command, ...argv]);
  const keys = await call('keygen', '--bits', '2048', '--out', key, '--public-out', publicKey);
  assert.equal(keys.code, 0, keys.errors);
  const service = await startProgram({ port, node, data });
  try {
    const url = `http://127.0.0.1:${port}/v1/whoami`;
    await assertServesPortal(`http://127.0.0.1:${port}`);
    assert.equal((await fetch(url)).status, 401);
    const options = ['--key', publicKey, '--network', '127.0.0.1', '--role', 'auditor', '--data', data];
    const added = await call('clients', 'add', '--name', 'Shop', ...options, '--json');
    assert.equal(added.code, 0, added.errors + added.out);
    const clientId = /"clientId": ?"([^"]+)"/.exec(added.out)?.[1] ?? assert.fail(added.out);
    // The service follows the change within a second.
    const credentials = ['--client-id', clientId, '--key', key];
    const answer = await untilAccepted(() => call('request', 'GET', url, ...credentials));
    assert.match(answer, new RegExp(clientId));
    // By its own thread, whose file the package also contains.
    const pasted = JSON.stringify({ method: 'GET', targetUri: 'https://api.example.test/', headers: [] });
    const explained = await call(
      'request',
      'POST',
      url.replace('whoami', 'explanations'),
      ...credentials,
      '-d',
      pasted,
    );
    assert.match(explained.out, /"verdict": ?"refused"/, explained.errors);
    // Another thread writes the request log.
    await untilAccepted(async () => {
      const listed = await call('request', 'GET', url.replace('whoami', 'requests'), ...credentials);
      return listed.out.includes('/v1/whoami') ? listed : { ...listed, code: 1 };
    });
  } finally {
    assert.equal(await stop(service), 0);
  }
}

/** Ends a service, unless it has ended by itself, and returns its exit code. */
async function stop(service: ChildProcess): Promise<number | null> {
  if (service.exitCode !== null || service.signalCode !== null) return service.exitCode;
  service.kill('SIGTERM');
  const [code] = (await once(service, 'exit')) as [number | null];
  return code;
}

/** Registers the SDK in a folder, which prints each span as one line. */
function tracingModule(folder: string): string {
  const module = JSON.stringify(pathToFileURL(join(folder, 'build/src/index.js')).href);
  return `
    import { NodeTracerProvider, SimpleSpanProcessor } from ${module};
    const exporter = {
      export: (spans, done) => {
        for (const { name, attributes } of spans)
          console.log(JSON.stringify({ name, code: attributes['countersign.code'] }));
        done({ code: 0 });
      },
      shutdown: () => Promise.resolve(),
    };
    new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
  `;
}

/** Reads the first span among the lines that the service writes. */
async function firstSpan(output: Readable): Promise<string> {
  for await (const line of createInterface({ input: output })) if (line.startsWith('{')) return line;
  throw new Error('There is no span.');
}

/** Loads the portal's page and every file that it loads at start. */
async function assertServesPortal(baseUrl: string): Promise<void> {
  const page = await fetch(`${baseUrl}/portal/`);
  assert.equal(page.status, 200);
  const paths = [...(await page.text()).matchAll(/(?:src|href)="(\/portal\/[^"]+)"/g)].map(
    (match) => match[1] ?? '',
  );
  assert.ok(paths.length > 1);
  for (const path of paths) assert.equal((await fetch(`${baseUrl}${path}`)).status, 200, path);
}

interface ProgramStart {
  readonly port: number;
  readonly node?: string;
  readonly data?: string;
  readonly options?: readonly string[];
}

/** Starts the installed program and waits until it responds. */
async function startProgram({
  port,
  node = process.execPath,
  data = './data',
  options = [],
}: ProgramStart): Promise<ChildProcessByStdio<null, Readable, Readable>> {
  const child = spawn(node, [...options, program], {
    cwd: packages.project,
    env: {
      PATH: process.env['PATH'],
      COUNTERSIGN_PORT: String(port),
      COUNTERSIGN_DATA_FOLDER: data,
      COUNTERSIGN_LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.resume();
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += String(chunk);
  });
  try {
    await waitUntilUp({ name: 'the service', child, output: () => errors }, async () => {
      const live = await fetch(`http://127.0.0.1:${port}/live`).catch(() => undefined);
      return live?.status === 200;
    });
    return child;
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

function untilAccepted(send: () => ReturnType<InstalledPackages['run']>): Promise<string> {
  let last = '';
  return waitFor(
    async () => {
      const { code, out, errors } = await send();
      last = out + errors;
      return code === 0 ? out : undefined;
    },
    () => last,
  );
}
