import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { bundleDependencies } from '../build/bundle-dependencies.ts';
import { lockedDependencies } from '../build/locked-dependencies.ts';
import { withTree } from './temporary-tree.ts';

const integrity = 'sha512-AA==';
const packages = {
  'packages/shop': { version: '1.0.0', dependencies: { paint: '1.0.0', brush: '2.0.0', ours: '1.0.0' } },
  'packages/ours': { version: '1.0.0', dependencies: { secret: '1.0.0' } },
  'node_modules/ours': { link: true },
  'node_modules/paint': { version: '1.0.0', integrity, dependencies: { oil: '^1.0.0' } },
  'node_modules/oil': { version: '1.4.0', integrity, optionalDependencies: { gone: '1.0.0' } },
  'node_modules/secret': { version: '1.0.0', integrity },
  'node_modules/unused': { version: '1.0.0', integrity },
  'packages/shop/node_modules/brush': {
    version: '2.0.0',
    integrity,
    peerDependencies: { paint: '*', canvas: '*', easel: '*' },
    peerDependenciesMeta: { easel: { optional: true } },
  },
  'node_modules/brush': { version: '1.0.0', integrity },
  'node_modules/canvas': { version: '3.0.0', integrity, dependencies: { oil: '^2.0.0' } },
  'node_modules/canvas/node_modules/oil': { version: '2.0.0', integrity },
};

describe('the dependencies that a package brings along', () => {
  const names = ['paint', 'brush', 'ours'];

  it('are what Node would find, direct and indirect, at their place below the package', () => {
    const found = lockedDependencies({ packages }, 'packages/shop', names);
    assert.deepEqual(
      found.map(({ place, source, locked }) => [place, source === place ? '' : source, locked.version]),
      [
        ['node_modules/brush', 'packages/shop/node_modules/brush', '2.0.0'],
        ['node_modules/canvas', '', '3.0.0'],
        ['node_modules/canvas/node_modules/oil', '', '2.0.0'],
        ['node_modules/oil', '', '1.4.0'],
        ['node_modules/paint', '', '1.0.0'],
      ],
    );
  });

  it('are refused where the lockfile lacks one, a hash, or a place for a second version', () => {
    assert.throws(
      () => lockedDependencies({ packages }, 'packages/shop', ['missing']),
      /package-lock\.json has no missing for packages\/shop/,
    );
    const bare = { ...packages, 'node_modules/oil': { version: '1.4.0' } };
    assert.throws(
      () => lockedDependencies({ packages: bare }, 'packages/shop', names),
      /no integrity of node_modules\/oil/,
    );
    const twice = {
      ...packages,
      'node_modules/oil': { version: '1.4.0', integrity, dependencies: { brush: '1' } },
    };
    assert.throws(
      () => lockedDependencies({ packages: twice }, 'packages/shop', names),
      /two versions of brush/,
    );
  });

  const lockfile = JSON.stringify({
    packages: { 'packages/shop': {}, 'node_modules/paint': { version: '1.0.0', integrity } },
  });
  const manifest = JSON.stringify({ name: 'paint', version: '1.0.0' });

  it('are copied without source maps and without packages below them', async () => {
    await withTree(
      {
        'package-lock.json': lockfile,
        'node_modules/paint/package.json': manifest,
        'node_modules/paint/index.js': '1',
        'node_modules/paint/index.js.map': '2',
        'node_modules/paint/node_modules/other/package.json': '{}',
      },
      async (root) => {
        // The test trees contain no hidden files.
        writeFileSync(join(root, 'node_modules/.package-lock.json'), lockfile);
        bundleDependencies(root, 'packages/shop', ['paint'], join(root, 'out'));
        assert.equal(readFileSync(join(root, 'out/node_modules/paint/index.js'), 'utf8'), '1');
        assert.ok(!existsSync(join(root, 'out/node_modules/paint/index.js.map')));
        assert.ok(!existsSync(join(root, 'out/node_modules/paint/node_modules')));
      },
    );
  });

  it('are refused when something else is installed', async () => {
    for (const [installed, version] of [
      [lockfile.replace('AA==', 'AB=='), '1.0.0'],
      ['{"packages":{}}', '1.0.0'],
      [lockfile, '1.0.1'],
    ] as const) {
      await withTree({ 'package-lock.json': lockfile }, async (root) => {
        const write = (path: string, text: string): void => {
          mkdirSync(dirname(join(root, path)), { recursive: true });
          writeFileSync(join(root, path), text);
        };
        write('node_modules/.package-lock.json', installed);
        write('node_modules/paint/package.json', JSON.stringify({ name: 'paint', version }));
        assert.throws(
          () => bundleDependencies(root, 'packages/shop', ['paint'], join(root, 'out')),
          /The installed paint is not the one in package-lock\.json: run npm ci\./,
        );
      });
    }
  });
});
