import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openApiDocument } from '@countersign/contract';
import { root } from './reader-folder.ts';
import { tableRows } from './tables.ts';

const folder = join(root, 'examples/http-tools');
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name));
const { paths } = openApiDocument({ serverUrls: [] });
const python = spawnSync('python3', ['--version']).status === 0 ? false : 'python3 is not installed';

describe('examples/http-tools', () => {
  it('calls operations that the service has', () => {
    for (const file of files) {
      const called = readFileSync(file, 'utf8').match(/\/v1\/[a-z-]+/g) ?? [];
      for (const path of called) assert.ok(path in paths, `${path} in ${file}`);
    }
  });

  it('calls the signing proxy where it listens by default', () => {
    const help = readFileSync(join(root, 'docs/signing-proxy.md'), 'utf8');
    const address = /curl (http:\/\/127\.0\.0\.1:\d+)/.exec(help)?.[1];
    for (const name of [
      'postman.json',
      'insomnia.json',
      'k6.js',
      'requests.http',
      'bruno/environments/proxy.bru',
    ])
      assert.ok(readFileSync(join(folder, name), 'utf8').includes(address!), name);
  });

  it('lists every file', () => {
    const listed = tableRows(readFileSync(join(folder, 'README.md'), 'utf8')).map(([, file = '']) =>
      file.replaceAll(/[`/]/g, ''),
    );
    const there = readdirSync(folder).filter((name) => name !== 'README.md');
    assert.deepEqual(listed.toSorted(), there.toSorted());
  });

  it('is JSON, JavaScript and XML that can be read', { skip: python }, () => {
    for (const file of files) {
      if (file.endsWith('.json')) JSON.parse(readFileSync(file, 'utf8'));
      const [program, ...args] = file.endsWith('.js')
        ? [process.execPath, '--check', file]
        : ['python3', '-c', 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])', file];
      if (!/\.(?:js|jmx)$/.test(file)) continue;
      const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
      assert.equal(status, 0, `${file}: ${stderr}`);
    }
  });
});
