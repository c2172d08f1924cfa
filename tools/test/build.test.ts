import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildPackage } from '../build/build-package.ts';
import type { PublishedPackage } from '../build/published-packages.ts';
import { type Tree, withTree } from './temporary-tree.ts';

const parcel: PublishedPackage = {
  folder: 'packages/parcel',
  carried: [
    {
      name: 'words',
      sourceFolder: 'packages/words/src',
      entries: { words: 'table.ts' },
      outFolder: 'words',
      modules: 'entries',
    },
  ],
};

const manifest = {
  name: 'parcel',
  version: '1.2.3',
  description: 'A package to build.',
  license: 'Apache-2.0',
  author: 'The authors',
  keywords: ['parcel'],
  type: 'module',
  sideEffects: false,
  bin: { parcel: './bin/parcel.js' },
  exports: { '.': './src/index.ts' },
  dependencies: { letters: '1.0.0', words: '1.0.0', 'from-elsewhere': '2.0.1' },
  optionalDependencies: { service: '1.0.0' },
  scripts: { test: 'true' },
};

const sound: Tree = {
  'package.json': JSON.stringify({
    workspaces: ['packages/parcel', 'packages/letters', 'packages/words', 'packages/service'],
  }),
  LICENSE: 'The license.\n',
  'packages/letters/package.json': JSON.stringify({ name: 'letters', version: '1.0.0' }),
  'packages/words/package.json': JSON.stringify({ name: 'words', version: '1.0.0', private: true }),
  'packages/words/src/index.ts': "import 'a-large-library'; export * from './table.ts';\n",
  'packages/words/src/table.ts': "export const table: readonly string[] = ['word'];\n",
  'packages/service/package.json': JSON.stringify({ name: 'service', version: '1.0.0', private: true }),
  'packages/parcel/package.json': JSON.stringify(manifest),
  'packages/parcel/README.md': '# parcel\n',
  'packages/parcel/bin/parcel.js': "#!/usr/bin/env node\nawait import('../dist/index.js');\n",
  'packages/parcel/src/index.ts': [
    "export { type Part, part } from './parts/part.ts';",
    'export {',
    '  text,',
    "} from './text.ts';",
    "export const later = async (): Promise<unknown> => import('service');",
    '',
  ].join('\n'),
  'packages/parcel/src/parts/part.ts': [
    "import { readFileSync } from 'node:fs';",
    "import type { Service } from 'service';",
    "import { letter } from 'letters/all';",
    "import { other } from 'from-elsewhere';",
    "import type { Text } from '../text.ts';",
    'export type Part = Text;',
    "/** @example import { part } from './part.ts'; */",
    'export function part(): Part {',
    "  return [letter, other, './part.ts', readFileSync.name].join() satisfies Part;",
    '}',
    'const keep = (service: Service): Service => service;\nvoid keep;',
    "export const words = async (): Promise<string> => String((await import('words')).table);",
    '',
  ].join('\n'),
  'packages/parcel/src/text.ts': 'export type Text = string;\nexport const text: Text = "words";\n',
  'packages/parcel/test/part.test.ts': "throw new Error('never run');\n",
};

/** Builds the sound package with some files changed, and passes on its folder. */
async function build(change: Tree, use: (folder: string) => void, published = parcel): Promise<void> {
  await withTree({ ...sound, ...change }, async (root) => {
    const folder = join(root, 'packages/parcel/dist');
    await buildPackage(root, published, folder);
    use(folder);
  });
}

function withManifest(change: object): Tree {
  return { 'packages/parcel/package.json': JSON.stringify({ ...manifest, ...change }) };
}

const pages = { from: 'packages/pages/dist', to: 'pages', proof: 'index.html', leftOut: ['list.json'] };

const joined: PublishedPackage = { ...parcel, joined: { entries: [], separate: [] } };

const uncarried: PublishedPackage = { ...parcel, carried: [] };

const refusals: readonly {
  readonly what: string;
  readonly change: Tree;
  readonly says: RegExp;
  readonly published?: PublishedPackage;
}[] = [
  { what: 'is private', change: withManifest({ private: true }), says: /parcel is private/ },
  { what: 'has no exact version', change: withManifest({ version: '1.2' }), says: /but "1\.2"/ },
  { what: 'has no description', change: withManifest({ description: '' }), says: /no description/ },
  { what: 'has no license', change: withManifest({ license: undefined }), says: /no license/ },
  { what: 'is not a module', change: withManifest({ type: 'commonjs' }), says: /must say "type": "module"/ },
  {
    what: 'exports something that is not built',
    change: withManifest({ exports: { '.': './index.js' } }),
    says: /exports \.\/index\.js as "\."/,
  },
  {
    what: 'exports a source that is not there',
    change: withManifest({ exports: { '.': './src/index.ts', './gone': './src/gone.ts' } }),
    says: /names \.\/dist\/gone\.d\.ts, .*\n.*names \.\/dist\/gone\.js, which is not in the package/,
  },
  {
    what: 'has a program that is not there',
    change: withManifest({ bin: { parcel: './bin/gone.js' } }),
    says: /packages\/parcel\/bin\/gone\.js is missing/,
  },
  {
    what: 'takes a folder along that is not built',
    change: {},
    says: /packages\/pages\/dist\/index\.html is missing: build it first/,
    published: { ...parcel, folders: [pages] },
  },
  {
    what: 'depends on a range of versions',
    change: withManifest({ dependencies: { ...manifest.dependencies, 'from-elsewhere': '^2.0.1' } }),
    says: /from-elsewhere "\^2\.0\.1": the version must be exact/,
  },
  {
    what: 'depends on another version than the repository has',
    change: withManifest({ dependencies: { ...manifest.dependencies, letters: '0.9.0' } }),
    says: /letters 0\.9\.0, and the repository has 1\.0\.0/,
  },
  {
    what: 'depends on a private package',
    change: {},
    says: /depends on words, which is private/,
    published: uncarried,
  },
  {
    what: 'has a type that cannot be written down without a compiler',
    change: { 'packages/parcel/src/text.ts': 'export const text = [1].map(String);\n' },
    says: /text\.ts\(1,14\): error TS90\d\d/,
  },
  {
    what: 'has syntax that cannot be stripped',
    change: { 'packages/parcel/src/text.ts': 'export const text = ;\n' },
    says: /text\.ts\(1,21\): error TS1109/,
  },
  {
    what: 'fails in what goes along too, naming both',
    change: {
      'packages/parcel/src/text.ts': 'export const text = ;\n',
      'packages/words/src/table.ts': 'export const table = [;\n',
    },
    says: /parcel\/src\/text\.ts\(1,21\): error TS1109[^]*words\/src\/table\.ts\(1,23\): error TS1137/,
  },
];

describe('building a package', () => {
  for (const { what, change, says, published = parcel } of refusals) {
    it(`refuses one that ${what}, and leaves nothing behind`, async () => {
      await withTree({ ...sound, ...change }, async (root) => {
        const folder = join(root, 'packages/parcel/dist');
        await assert.rejects(buildPackage(root, published, folder), { message: says });
        assert.equal(existsSync(folder), false);
      });
    });
  }

  it('says all that is wrong with a manifest at once', async () => {
    const change = withManifest({ private: true, license: undefined, version: 'next' });
    await assert.rejects(build(change, assert.fail), {
      message:
        'packages/parcel cannot be published:\n  parcel is private.\n' +
        '  parcel has no version such as 1.2.3, but "next".\n  parcel has no license.',
    });
  });

  it('refuses imports that lead nowhere once it is installed, all of them at once', async () => {
    const change: Tree = {
      'packages/parcel/src/undeclared.ts': "import 'letters';\nimport 'elsewhere';\n",
      'packages/parcel/src/at-once.ts': "export { service } from 'service';\n",
      'packages/parcel/src/a-type.ts': "export type { Service } from 'service';\n",
      'packages/parcel/src/outside.ts': "import '../test/text.ts';\n",
      'packages/parcel/src/computed.ts': "export const text: unknown = await import(String('x'));\n",
      'packages/words/src/table.ts': "import './letters.ts';\nexport const table = '';\n",
    };
    await assert.rejects(build(change, assert.fail), (error: Error) => {
      const [first, ...mistakes] = error.message.replace(/(computed\.js):\d+/, '$1').split('\n  ');
      assert.equal(first, 'packages/parcel cannot be published:');
      const onDemand = 'what may be missing can only be imported on demand.';
      assert.deepEqual(mistakes.toSorted(), [
        `dist/a-type.d.ts:1 imports service: ${onDemand}`,
        `dist/at-once.d.ts:1 imports service: ${onDemand}`,
        `dist/at-once.js:1 imports service: ${onDemand}`,
        'dist/computed.js imports a module: its name is computed, so nobody knows whether it is there.',
        'dist/outside.d.ts:1 imports ../test/text.js: it is not in the package.',
        'dist/outside.js:1 imports ../test/text.js: it is not in the package.',
        'dist/undeclared.d.ts:2 imports elsewhere: package.json has no such dependency.',
        'dist/undeclared.js:2 imports elsewhere: package.json has no such dependency.',
        'dist/words/table.d.ts:1 imports ./letters.js: it is not in the package.',
        'dist/words/table.js:1 imports ./letters.js: it is not in the package.',
      ]);
      return true;
    });
  });

  it('writes JavaScript, declarations, the two texts and the program, and nothing else', () =>
    build({ 'packages/parcel/dist/old.js': 'from an earlier build\n' }, (folder) => {
      const files = globSync('**/*.*', { cwd: folder }).map((path) => path.replaceAll('\\', '/'));
      const modules = ['index', 'parts/part', 'text', 'words/table'];
      assert.deepEqual(
        files.toSorted(),
        [
          'README.md',
          'bin/parcel.js',
          ...modules.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]),
          'package.json',
        ].toSorted(),
      );
      assert.equal(readFileSync(join(folder, 'LICENSE'), 'utf8'), 'The license.\n');
    }));

  it('takes along what another build has made, without what only that build needs', () =>
    build(
      {
        'packages/pages/dist/index.html': '<!doctype html>',
        'packages/pages/dist/assets/page-1.js': "import './page-2.js';",
        'packages/pages/dist/list.json': '{}',
      },
      (folder) => {
        const files = globSync('**/*.*', { cwd: join(folder, 'pages') });
        assert.deepEqual(files.map((path) => path.replaceAll('\\', '/')).toSorted(), [
          'assets/page-1.js',
          'index.html',
        ]);
      },
      { ...parcel, folders: [pages] },
    ));

  it('writes no declarations for a program that exports nothing', () =>
    build(withManifest({ exports: undefined }), (folder) => {
      assert.deepEqual(globSync('**/*.d.ts', { cwd: folder }), []);
      assert.ok(existsSync(join(folder, 'dist/index.js')));
    }));

  it('rewrites imports, and no text that looks like one', () =>
    build({}, (folder) => {
      const read = (file: string): string => readFileSync(join(folder, 'dist', file), 'utf8');
      const script = read('parts/part.js');
      assert.match(script, /await import\('\.\.\/words\/table\.js'\)/);
      assert.match(script, /\[letter, other, '\.\/part\.ts', readFileSync\.name\]/);
      assert.match(script, /@example import \{ part \} from '\.\/part\.ts'/);
      const declarations = read('parts/part.d.ts');
      assert.match(declarations, /import type \{ Text \} from '\.\.\/text\.js';/);
      assert.match(declarations, /@example import \{ part \} from '\.\/part\.ts'/);
      assert.match(read('index.d.ts'), /from '\.\/parts\/part\.js';[^]*from '\.\/text\.js';/);
    }));

  it('joins the modules of a program, and finds files and the programs of its threads from where they were', async () => {
    const change: Tree = {
      ...withManifest({ dependencies: {}, optionalDependencies: {} }),
      'packages/parcel/src/index.ts': [
        "import { Worker } from 'node:worker_threads';",
        "import { where } from './parts/where.ts';",
        'export class Parcel {}',
        'export const found: Promise<unknown[]> = Promise.all([',
        "  import('./late/late.ts').then(({ late }) => [late, where, Parcel.name]),",
        "  new Promise((resolve) => new Worker(where).once('message', resolve)),",
        ']);',
        '',
      ].join('\n'),
      'packages/parcel/src/parts/where.ts':
        "export const where: URL = new URL('./thread.js', import.meta.url);\n",
      'packages/parcel/src/parts/thread.ts': [
        "import { parentPort } from 'node:worker_threads';",
        "import { late } from '../late/late.ts';",
        '// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin',
        'parentPort?.postMessage(late);',
        '',
      ].join('\n'),
      'packages/parcel/src/late/late.ts': 'class Parcel {}\nexport const late: string = Parcel.name;\n',
      'packages/parcel/src/parts/part.ts': '',
    };
    await withTree({ ...sound, ...change }, async (root) => {
      const folder = join(root, 'packages/parcel/dist');
      await buildPackage(root, joined, folder);
      const files = globSync('**/*.js', { cwd: join(folder, 'dist') }).map((path) =>
        path.replaceAll('\\', '/').replace(/-[a-z\d]+\.js$/, '-….js'),
      );
      const chunks = ['chunks/late-….js', 'chunks/rolldown-runtime-….js'];
      assert.deepEqual(files.toSorted(), [...chunks, 'index.js', 'parts/thread.js']);
      const program = `import('./index.js').then(async ({ found }) => console.log(JSON.stringify(await found)))`;
      const { stdout, stderr } = spawnSync(process.execPath, ['-e', program], {
        cwd: join(folder, 'dist'),
        encoding: 'utf8',
      });
      const thread = new URL('dist/parts/thread.js', `${pathToFileURL(realpathSync(folder)).href}/`).href;
      assert.deepEqual(
        [stdout.trimEnd(), stderr],
        [JSON.stringify([['Parcel', thread, 'Parcel'], 'Parcel']), ''],
      );
    });
  });

  it('joins no module that is not in the package', async () => {
    const change: Tree = {
      ...withManifest({ dependencies: { 'from-elsewhere': '2.0.1' }, optionalDependencies: {} }),
      'packages/parcel/src/index.ts': "export { text } from 'from-elsewhere';\n",
      'packages/parcel/src/parts/part.ts': '',
      'node_modules/from-elsewhere/package.json': JSON.stringify({
        name: 'from-elsewhere',
        type: 'module',
        exports: './index.js',
      }),
      'node_modules/from-elsewhere/index.js': "export const text = '';\n",
    };
    await withTree({ ...sound, ...change }, async (root) => {
      const folder = join(root, 'packages/parcel/dist');
      await assert.rejects(buildPackage(root, joined, folder), {
        message: /from-elsewhere\/index\.js is not in the package/,
      });
      assert.equal(existsSync(folder), false);
    });
  });

  it('writes a manifest of its own, without what only the repository can use', () =>
    build({}, (folder) => {
      assert.deepEqual(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')), {
        name: 'parcel',
        version: '1.2.3',
        description: 'A package to build.',
        license: 'Apache-2.0',
        author: 'The authors',
        keywords: ['parcel'],
        type: 'module',
        sideEffects: false,
        engines: { node: '>=22' },
        bin: { parcel: 'bin/parcel.js' },
        exports: {
          '.': { types: './dist/index.d.ts', default: './dist/index.js' },
          './package.json': './package.json',
        },
        dependencies: { letters: '1.0.0', 'from-elsewhere': '2.0.1' },
      });
    }));
});

describe('npm run build', () => {
  it('names the published packages instead of building nothing for a folder that is none', () => {
    const program = fileURLToPath(new URL('../build.ts', import.meta.url));
    const command = [program, 'packages/signature/', 'packages/no-such'];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, /^No published package: packages\/no-such\. Choose from: packages\/signature, /);
  });
});
