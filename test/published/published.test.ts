import assert from 'node:assert/strict';
import { copyFileSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, posix, sep } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { problems } from '@countersign/contract';
import { readImports } from '../../tools/boundaries/imports.ts';
import { checkPublishedTypes } from '../../tools/build/compiler.ts';
import {
  type Ended,
  type InstalledPackages,
  installPackages,
  libraries,
  root,
} from './installed-packages.ts';
import { fetchPackage } from './fetched-packages.ts';
import { otherRuntimes, promisedNodes } from './nodes.ts';

const names = [
  '@countersign/signature',
  '@countersign/explain',
  'countersign',
  '@countersign/middleware',
  '@countersign/upstream',
  '@countersign/client',
];
const program = 'node_modules/countersign/bin/countersign.js';
const url = 'https://api.example.com/v1/payments?limit=2';

/** The READMEs name it. */
const lowestTypeScript = '5.4.5';
/** The last line before the compiler that the workspace uses. */
const usualTypeScript = '5.9.3';

const resolutions = [
  { module: 'node16', moduleResolution: 'node16' },
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'esnext', moduleResolution: 'bundler', target: 'es2022' },
];

// All at once: they wait for the network.
const [lowest, usual, publint, attw, nodes, runtimes] = await Promise.all([
  fetchPackage('typescript', lowestTypeScript),
  fetchPackage('typescript', usualTypeScript),
  fetchPackage('publint', '0.3.25'),
  fetchPackage('@arethetypeswrong/cli', '0.18.5'),
  promisedNodes(),
  otherRuntimes(),
]);

let packages: InstalledPackages;

const run: InstalledPackages['run'] = (...command) => packages.run(...command);
const folderOf = (name: string): string => join(packages.project, 'node_modules', name);
const filesOf = (name: string): string[] =>
  globSync('**/*', { cwd: folderOf(name), withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folderOf(name).length + 1)
        .replaceAll('\\', '/'),
    );

describe('the published packages', () => {
  before(async () => {
    packages = await installPackages(libraries);
  });
  after(() => packages?.remove());

  it('hold what is built, and no source, no test, no map', () => {
    const allowed =
      /^(package\.json|README\.md|LICENSE|bin\/(countersign\.js|help\.json)|dist\/([a-z0-9-]+\/)*[a-z0-9-]+(\.d\.ts|\.js))$/;
    for (const name of names) {
      const files = filesOf(name);
      const others = files.filter((file) => !allowed.test(file) || /(^|[/.])(test|vectors)[/.]/.test(file));
      assert.deepEqual(others, []);
      const texts = ['package.json', 'README.md', 'LICENSE'];
      assert.deepEqual(
        texts.filter((file) => !files.includes(file)),
        [],
      );
    }
    assert.deepEqual(
      filesOf('countersign').filter((file) => file.endsWith('.d.ts')),
      [],
    );
  });

  it('use nothing that is newer than the Node that they promise to run on', () => checkPublishedTypes());

  it('name no place of the machine that built them', () => {
    const places = [
      root,
      `${homedir()}${sep}`,
      join(tmpdir(), 'countersign-published'),
      'file://',
      'sourceMappingURL',
    ];
    for (const name of names) {
      for (const file of filesOf(name)) {
        const text = readFileSync(join(folderOf(name), file), 'utf8');
        const found = places.filter((place) => text.includes(place));
        assert.deepEqual(found, [], `${name} ${file}`);
      }
    }
  });

  it('need nothing but each other', () => {
    const manifests = names.map((name) =>
      JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8')),
    );
    const [signature, explain, cli, middleware, upstream, client] = manifests as Record<
      string,
      unknown
    >[] as [
      Record<string, unknown>,
      Record<string, unknown>,
      Record<string, unknown>,
      Record<string, unknown>,
      Record<string, unknown>,
      Record<string, unknown>,
    ];
    assert.equal(signature['dependencies'], undefined);
    assert.deepEqual(explain['dependencies'], { '@countersign/signature': signature['version'] });
    assert.deepEqual(cli['dependencies'], {
      '@countersign/client': client['version'],
      '@countersign/explain': explain['version'],
      '@countersign/signature': signature['version'],
    });
    assert.deepEqual(middleware['dependencies'], { '@countersign/signature': signature['version'] });
    assert.deepEqual(upstream['dependencies'], { '@countersign/signature': signature['version'] });
    assert.deepEqual(client['dependencies'], { '@countersign/signature': signature['version'] });
    for (const manifest of [signature, explain, cli, middleware, upstream, client]) {
      for (const member of ['private', 'scripts', 'devDependencies', 'optionalDependencies', 'workspaces']) {
        assert.equal(manifest[member], undefined, member);
      }
    }
  });

  it('reach no module of Node from the entries that run everywhere', () => {
    const reached = (name: string, entry: string): string[] => {
      const imports = readImports(join(folderOf(name), 'dist'), ['**/*.js']);
      const files = [entry];
      const others = new Set<string>();
      // The list grows during iteration.
      for (const file of files) {
        for (const { specifier = 'a computed name' } of imports.get(file) ??
          assert.fail(`${file} is missing`)) {
          const path = posix.join(posix.dirname(file), specifier);
          if (!specifier.startsWith('.')) others.add(specifier);
          else if (!files.includes(path)) files.push(path);
        }
      }
      return [...others];
    };
    for (const entry of [
      'index.js',
      'profile/index.js',
      'rfc9421/index.js',
      'keys/index.js',
      'hashes/index.js',
      'on-web/messages.js',
      'messages/hmac.js',
      'free-second.js',
    ])
      assert.deepEqual(reached('@countersign/signature', entry), []);
    assert.deepEqual(reached('@countersign/signature', 'node.js'), ['node:crypto']);
    assert.deepEqual(reached('@countersign/signature', 'on-node/messages.js'), ['node:crypto']);
    assert.deepEqual(reached('@countersign/signature', 'shared-seconds.js').toSorted(), [
      'node:crypto',
      'node:fs/promises',
      'node:path',
    ]);
    const everywhere = /^@countersign\/signature(\/(profile|rfc9421|messages|keys|hashes|free-second))?$/;
    for (const entry of ['index.js', 'axios.js', 'ky.js', 'indexed-db.js', 'testing.js']) {
      const others = reached('@countersign/client', entry).filter((each) => !everywhere.test(each));
      assert.deepEqual(others, []);
    }
    for (const entry of ['index.js', 'request-text/index.js']) {
      const others = reached('@countersign/explain', entry).filter((each) => !everywhere.test(each));
      assert.deepEqual(others, []);
    }
  });

  it('declare what they export, on Node and for a bundler, with types that refuse mistakes', async () => {
    copyConsumers();
    const onNode = {
      files: ['on-node.ts', 'middleware.ts', 'upstream.ts', 'key-stores.ts', 'client.ts'],
      lib: ['esnext'],
      types: ['node'],
    };
    const everywhere = { files: ['everywhere.ts'], lib: ['esnext'], types: [] };
    const inBrowser = { files: ['in-browser.ts'], lib: ['esnext', 'dom', 'dom.iterable'], types: [] };
    for (const resolution of resolutions) {
      for (const { files, ...surroundings } of [onNode, everywhere, inBrowser]) {
        // The declarations themselves are checked once.
        const skipLibCheck = resolution.module !== 'nodenext';
        const { code, out } = await compile(files, { ...resolution, skipLibCheck, ...surroundings });
        assert.equal(code, 0, `${JSON.stringify(resolution)}\n${out}`);
      }
    }
  });

  const skip = lowest === undefined && `npm cannot fetch TypeScript ${lowestTypeScript}`;
  it(`compile with TypeScript ${lowestTypeScript}, the lowest, by each resolution`, { skip }, async () => {
    copyConsumers();
    const surroundings = [
      { files: ['everywhere.ts'], lib: ['esnext'], types: [] },
      { files: ['in-browser.ts'], lib: ['esnext', 'dom', 'dom.iterable'], types: [] },
      // The types of Node may need a newer one.
      {
        files: ['on-node.ts', 'middleware.ts', 'upstream.ts', 'key-stores.ts', 'client.ts'],
        lib: ['esnext'],
        types: ['node'],
        skipLibCheck: true,
      },
    ];
    const checked = resolutions.flatMap((resolution) =>
      [true, false].flatMap((exactOptionalPropertyTypes) =>
        surroundings.map(({ files, ...options }) => ({
          files,
          options: { ...resolution, exactOptionalPropertyTypes, ...options },
        })),
      ),
    );
    const { code, out, errors } = await compileAll(checked, lowest!);
    assert.equal(code, 0, out + errors);
  });

  const skipUsual = usual === undefined && `npm cannot fetch TypeScript ${usualTypeScript}`;
  it(`compile with TypeScript ${usualTypeScript}, by each resolution`, { skip: skipUsual }, async () => {
    copyConsumers();
    const onNode = { lib: ['es2024'], types: ['node'], skipLibCheck: true };
    const inBrowser = { lib: ['es2024', 'dom', 'dom.iterable'], types: [] };
    const checked = resolutions.flatMap((resolution) => [
      { files: ['client.ts', 'on-node.ts'], options: { ...resolution, ...onNode } },
      { files: ['in-browser.ts'], options: { ...resolution, ...inBrowser } },
    ]);
    const { code, out, errors } = await compileAll(checked, usual!);
    assert.equal(code, 0, out + errors);
  });

  const skipLint = (publint === undefined || attw === undefined) && 'npm cannot fetch publint and attw';
  it('have no finding of publint and attw', { skip: skipLint }, async () => {
    for (const name of ['@countersign/signature', '@countersign/client']) {
      const folder = folderOf(name);
      const { code, out, errors } = await run(process.execPath, [
        join(publint!, 'src/cli.js'),
        folder,
        '--strict',
      ]);
      assert.equal(code, 0, out + errors);
      const packed = await run('npm', ['pack', '--ignore-scripts', '--json', folder]);
      const [{ filename = '' } = {}] = JSON.parse(packed.out) as { filename?: string }[];
      // The packages are modules only, for Node 22 and bundlers.
      const options = ['--profile', 'esm-only', '--no-color'];
      const types = await run(process.execPath, [join(attw!, 'dist/index.js'), filename, ...options]);
      assert.equal(types.code, 0, types.out + types.errors);
    }
  });

  for (const { version, program: node } of nodes) {
    describe(`on Node ${version}`, { skip: node === undefined && `npm cannot fetch Node ${version}` }, () => {
      if (node !== undefined) runOn(node);
    });
  }

  for (const { name, program: runtime, arguments: given } of runtimes) {
    const skipRuntime = runtime === undefined && `npm cannot fetch ${name}`;
    it(`send signed requests with ${name}`, { skip: skipRuntime }, async () => {
      for (const file of ['everywhere-client.mjs', 'client.mjs']) copyConsumer(file);
      const everywhere = await run(runtime!, [...given, 'everywhere-client.mjs']);
      assert.equal(everywhere.code, 0, everywhere.errors);
      assert.deepEqual(JSON.parse(everywhere.out), [
        'GET /a?q=%C3%BC&b=%7e accepted',
        'POST / accepted',
        'PUT /form accepted',
        'PATCH /from accepted',
        'PATCH /to accepted',
        'POST /same accepted',
        'POST /same accepted',
        'POST /same accepted',
      ]);
      const onNode = await run(runtime!, [...given, 'client.mjs']);
      assert.equal(onNode.code, 0, onNode.errors);
      assert.deepEqual(JSON.parse(onNode.out), sentByClient);
    });
  }

  it('start through npx, and make keys', async () => {
    const version = await run('npx', ['--no-install', 'countersign', '--version']);
    assert.equal(version.code, 0, version.errors);
    assert.match(version.out, /^\d+\.\d+\.\d+\n$/);
    const newKeys = ['--bits', '2048', '--out', 'npx.pem', '--public-out', 'npx.pub.pem', '--json'];
    const made = await run('npx', ['--no-install', 'countersign', 'keygen', ...newKeys]);
    assert.equal(made.code, 0, made.errors);
    assert.match((JSON.parse(made.out) as { fingerprint: string }).fingerprint, /^SHA256:[A-Za-z0-9+/]{43}$/);
  });
});

/** What `consumer/client.mjs` prints. */
const sentByClient = { statuses: [200, 200, 200], refused: 'RefusedError signature_invalid' };

function copyConsumer(file: string): void {
  copyFileSync(fileURLToPath(new URL(`consumer/${file}`, import.meta.url)), join(packages.project, file));
}

function copyConsumers(): void {
  const consumers = fileURLToPath(new URL('consumer', import.meta.url));
  for (const file of [
    'on-node.ts',
    'middleware.ts',
    'upstream.ts',
    'key-stores.ts',
    'client.ts',
    'everywhere.ts',
    'in-browser.ts',
  ])
    copyFileSync(join(consumers, file), join(packages.project, file));
}

function runOn(node: string): void {
  const countersign = (argv: readonly string[], input?: string): Promise<Ended> =>
    run(node, [program, ...argv], input);

  it('let nobody import what they do not export', async () => {
    const inside = [
      '@countersign/signature/dist/node.js',
      '@countersign/signature/dist/keys/der.js',
      '@countersign/signature/signing',
      '@countersign/signature/src/index.ts',
      'countersign',
      'countersign/dist/main.js',
      'countersign/bin/countersign.js',
      '@countersign/middleware/dist/gate/index.js',
    ];
    const script = `for (const name of ${JSON.stringify(inside)}) await import(name).then(() => console.log('loads'), ({ code }) => console.log(code));`;
    const { out, errors } = await run(node, ['--input-type=module', '--eval', script]);
    assert.deepEqual(
      out.trim().split('\n'),
      inside.map(() => 'ERR_PACKAGE_PATH_NOT_EXPORTED'),
      errors,
    );
  });

  it('explain themselves where the service is not installed', async () => {
    for (const command of [
      ['clients', 'list'],
      ['keys', 'add', 'client_x', '--key', 'public.pem'],
    ]) {
      writeFileSync(join(packages.project, 'public.pem'), 'read later\n');
      const { code, out, errors } = await countersign([...command, '--json']);
      const { message, ...answer } = JSON.parse(out) as { message: string };
      assert.deepEqual(
        { code, answer },
        { code: 4, answer: { ok: false, code: 'server_not_installed' } },
        errors,
      );
      assert.match(message, /the service is not installed next to this command/);
    }
  });

  it('sign and verify, from plain JavaScript', async () => {
    const file = fileURLToPath(new URL('consumer/sign-and-verify.mjs', import.meta.url));
    copyFileSync(file, join(packages.project, 'sign-and-verify.mjs'));
    const { code, out, errors } = await run(node, ['sign-and-verify.mjs']);
    assert.equal(code, 0, errors);
    const expected = {
      unsigned: 'signature_missing',
      otherUrl: 'signature_invalid',
      otherBody: 'digest_mismatch',
      asSigned: 'accepted',
      again: 'signature_replayed',
      signatures: 1,
    };
    assert.deepEqual(JSON.parse(out), { everywhere: expected, onNode: expected, fingerprints: 1 });
  });

  it('put the gate in front of an API', async () => {
    const file = fileURLToPath(new URL('consumer/middleware.mjs', import.meta.url));
    copyFileSync(file, join(packages.project, 'middleware.mjs'));
    const { code, out, errors } = await run(node, ['middleware.mjs']);
    assert.equal(code, 0, errors);
    const closures = Array.from({ length: 5 }, () => 'function');
    assert.deepEqual(JSON.parse(out), { closures, answers: ['shop 1250', 'signature_missing'] });
  });

  it('check what a gateway forwarded', async () => {
    const file = fileURLToPath(new URL('consumer/upstream.mjs', import.meta.url));
    copyFileSync(file, join(packages.project, 'upstream.mjs'));
    const { code, out, errors } = await run(node, ['upstream.mjs']);
    assert.equal(code, 0, errors);
    assert.deepEqual(JSON.parse(out), { roles: ['one', 'two'], refused: 'signature_invalid' });
  });

  it('send signed requests', async () => {
    copyConsumer('client.mjs');
    const { code, out, errors } = await run(node, ['client.mjs']);
    assert.equal(code, 0, errors);
    assert.deepEqual(JSON.parse(out), sentByClient);
  });

  it('sign with key stores', async () => {
    const file = fileURLToPath(new URL('consumer/key-stores.mjs', import.meta.url));
    copyFileSync(file, join(packages.project, 'key-stores.mjs'));
    const { code, out, errors } = await run(node, ['key-stores.mjs']);
    assert.equal(code, 0, errors);
    assert.deepEqual(JSON.parse(out), { vault: 256, azure: 'answer_invalid', pkcs11: 'options_invalid' });
  });

  it('sign and verify, on the command line, and say what to do about a refusal', async () => {
    const keys = await countersign(['keygen', '--bits', '2048', '--force']);
    assert.equal(keys.code, 0, keys.errors);
    const signed = await countersign(['sign', 'GET', url, '--client-id', 'shop', '--key', 'private.pem']);
    assert.equal(signed.code, 0, signed.errors);
    const verify = async (headers: string): Promise<{ code: number; answer: Record<string, unknown> }> => {
      const request = `GET /v1/payments?limit=2 HTTP/1.1\nHost: api.example.com\n${headers}\n`;
      const { code, out, errors } = await countersign(['verify', '--key', 'public.pem', '--json'], request);
      assert.notEqual(out, '', errors);
      return { code, answer: JSON.parse(out) as Record<string, unknown> };
    };
    const refused = await verify('');
    assert.equal(refused.code, 1);
    assert.equal(refused.answer['code'], 'signature_missing');
    // This text comes from the contract, which is bundled.
    assert.equal(refused.answer['advice'], problems.signature_missing.detail);
    const accepted = await verify(signed.out);
    assert.deepEqual([accepted.code, accepted.answer['keyid']], [0, 'shop']);
  });
}

const checkedByDefault = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  typeRoots: [join(root, 'node_modules/@types')],
};

/** Compiles with the workspace's TypeScript. */
async function compile(files: readonly string[], options: object): Promise<Ended> {
  const compilerOptions = { ...checkedByDefault, ...options };
  writeFileSync(join(packages.project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const typescript = join(root, 'node_modules/typescript/bin/tsc');
  return run(process.execPath, [typescript, '--pretty', 'false', '-p', '.']);
}

/** Compiles several programs with another TypeScript, without checking the library that this brings itself. */
async function compileAll(
  programs: readonly { readonly files: readonly string[]; readonly options: object }[],
  typescript: string,
): Promise<Ended> {
  const checked = programs.map(({ files, options }) => ({
    files,
    options: { ...checkedByDefault, skipDefaultLibCheck: true, ...options },
  }));
  const script = fileURLToPath(new URL('typecheck.mjs', import.meta.url));
  return run(process.execPath, [script, typescript], JSON.stringify(checked));
}
