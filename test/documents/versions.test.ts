import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { publishedPackages } from '../../tools/build/published-packages.ts';
import { root } from './reader-folder.ts';
import { readDocument } from './run-block.ts';
import { tables } from './tables.ts';

const { text } = readDocument('docs/versions.md');
const rows = tables(text).flatMap((table) => table.rows);
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Where versions of other programs are pinned. */
const pins = ['package.json', 'test/published/nodes.ts', 'test/proxies/binaries.ts'].map(read).join('\n');

describe('docs/versions.md', () => {
  it('names versions that are pinned, and programs that .ci/run installs', () => {
    const exact = rows.flatMap((row) => [...row.join(' ').matchAll(/\b\d+\.\d+\.\d+\b/g)].map(String));
    assert.ok(exact.length > 10);
    for (const version of exact.filter((each) => each !== '1.0.0'))
      assert.ok(pins.includes(version), version);
    for (const program of ['postgresql', 'redis-server', 'chromium', 'nginx', 'haproxy', 'apache2', 'caddy'])
      assert.match(read('.ci/run'), new RegExp(`^ {2}${program} `, 'm'), program);
  });

  it('names the oldest Node of each package', () => {
    const needed = (program: string): string => rows.find(([name]) => name === program)?.[1] ?? '';
    const server = publishedPackages.find(({ folder }) => folder === 'packages/server');
    assert.equal(needed('Node, for the service'), `${server?.as?.node.slice(2)} or newer`);
    const engines = publishedPackages
      .filter(({ folder }) => folder !== 'packages/server')
      .map(
        ({ folder }) =>
          (JSON.parse(read(`${folder}/package.json`)) as { engines?: { node: string } }).engines,
      );
    const oldest = new Set(engines.map((each) => each?.node ?? '>=22').map((range) => range.slice(2)));
    const [most, ...others] = [...oldest].toSorted();
    assert.equal(
      needed('Node, for the libraries and the command line'),
      `${most} or newer; ${others.join(', ')} for \`@countersign/pkcs11\``,
    );
  });
});
