import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { root } from './reader-folder.ts';
import { readDocument, runBlock } from './run-block.ts';

const credentials = {
  clientId: 'client_demo-1',
  privateKeyFile: 'private.pem',
  baseUrl: 'http://127.0.0.1:8499',
};

/** The pages whose commands fill in the demo client, and those commands. */
const pages = ['csharp.md', 'go.md', 'java.md'].map((name) => {
  const { text } = readDocument(`docs/signing/${name}`);
  const commands = /```sh\n(demo=[^]*?\n)```\n/.exec(text)?.[1];
  return { name, fileName: /Save this as `([^`]+)`/.exec(text)?.[1], commands };
});

describe('the commands of docs/signing that fill in the demo client', () => {
  let folder: string;
  let repository: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-first-credentials-'));
    repository = join(folder, 'a repository');
    mkdirSync(join(repository, 'data/demo'), { recursive: true });
    symlinkSync(join(root, 'signers'), join(repository, 'signers'), 'junction');
    writeFileSync(
      join(repository, 'data/demo/credentials.json'),
      `${JSON.stringify(credentials, undefined, 2)}\n`,
    );
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const { name, fileName, commands } of pages) {
    it(`${name} saves the program with the Client ID and the address from credentials.json`, async () => {
      assert.ok(commands !== undefined && fileName !== undefined, 'The page has no such commands.');
      // The portal would fill in a reader's own values, and the commands would find nothing to replace.
      assert.doesNotMatch(commands, /client_…|8421/);
      const place = mkdtempSync(join(folder, 'reader-'));
      const text = `repository='${repository}'\n${commands}`;
      const block = { path: `docs/signing/${name}`, line: 0, language: 'sh', text } as const;
      const { exitCode, errors } = await runBlock(block, place);
      assert.equal(exitCode, 0, errors);
      assert.deepEqual(readdirSync(place), [fileName]);
      const program = readFileSync(join(place, fileName), 'utf8');
      assert.ok(program.includes(`"${credentials.clientId}"`), program);
      assert.ok(program.includes(`"${credentials.baseUrl}"`), program);
      assert.doesNotMatch(program, /client_…|8421/);
    });
  }
});
