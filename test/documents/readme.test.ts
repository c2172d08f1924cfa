import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { settings } from '../../packages/server/src/configuration/settings.ts';
import { type DemonstrationService, startArguments, startDemonstration } from './demonstration-service.ts';
import { readerEnvironment } from './reader-folder.ts';
import { missingPrograms, readDocument, runBlock, testBlocks } from './run-block.ts';

const blocks = testBlocks('README.md');
const [commandLine, byHand, library] = blocks;

describe('README.md', () => {
  let service: DemonstrationService;
  let remove = async (): Promise<void> => undefined;
  before(async () => {
    service = await startDemonstration();
    remove = () => service.remove();
  });
  after(() => remove());

  it('has no other blocks than those that run below', () => {
    assert.deepEqual(
      blocks.map(({ language }) => language),
      ['sh', 'sh', 'js'],
    );
  });

  it('shows what npm start prints', () => {
    const { markdown } = readDocument('README.md');
    const shown = markdown.fences.find(({ words }) => words[0] === 'text')?.text ?? '';
    assert.equal(withoutIds(shown).trim(), withoutIds(service.printed).trim());
    assert.match(shown, /payment_[0-9a-z]{26}\n/);
  });

  it('shows what stands before an API', async (t) => {
    const api = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1');
    await once(api, 'listening');
    t.after(() => api.close());
    const { port } = api.address() as AddressInfo;
    const started = await startDemonstration({
      COUNTERSIGN_UPSTREAM: `http://127.0.0.1:${port}`,
      COUNTERSIGN_API_PORT: '0',
    });
    t.after(() => started.remove());
    const { markdown } = readDocument('README.md');
    const shown = markdown.fences.find(({ text }) => text.startsWith('What reaches'))?.text ?? '';
    const printed = started.printed
      .replaceAll(`:${port}`, ':3000')
      .replace(/(countersign request GET http:\/\/127\.0\.0\.1:)\d+/, '$18422');
    // A second may begin between signing and checking.
    const withoutTime = (text: string): string =>
      text.replace(/in \d+ ms/, 'in … ms').replace(/created is 60[01] s old/, 'created is 600 s old');
    assert.ok(withoutTime(printed).includes(withoutTime(shown).trim()), printed);
  });

  it('sends its first requests on the command line', async () => {
    const { exitCode, output, errors } = await runBlock(commandLine!, service.folder);
    assert.equal(exitCode, 0, errors);
    assert.match(output, /"clientId": ?"client_/);
    assert.match(output, /"reference": ?"my-first"/);
  });

  it('signs by hand with openssl and curl', { skip: missingPrograms(byHand!) }, async () => {
    const { exitCode, output, errors } = await runBlock(byHand!, service.folder);
    assert.equal(exitCode, 0, errors);
    assert.match(output, /^HTTP\/1\.1 201 Created\r\n/);
    assert.match(output, /"reference":"signed-by-hand"/);
  });

  it('is right that a changed character is refused', { skip: missingPrograms(byHand!) }, async () => {
    const text = byHand!.text.replace('--data-binary "$body"', '--data-binary "$body "');
    assert.notEqual(text, byHand!.text);
    const { output } = await runBlock({ ...byHand!, text }, service.folder);
    assert.match(output, /^HTTP\/1\.1 401 Unauthorized\r\n[^]*"code":"digest_mismatch"/);
  });

  it('calls the service from a program', async () => {
    const { exitCode, output, errors } = await runBlock(library!, service.folder);
    assert.equal(exitCode, 0, errors);
    assert.match(output, /^201 \{[^]*reference: 'from-my-code'/);
  });
});

describe('the service of README.md', () => {
  it('says so when the port is taken, and takes another one with COUNTERSIGN_PORT', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    try {
      await assert.rejects(
        startDemonstration({ COUNTERSIGN_PORT: String(port) }),
        /choose another one with COUNTERSIGN_PORT/,
      );
    } finally {
      other.close();
      await once(other, 'close');
    }
  });

  it('lists every setting with --help', () => {
    const { stdout, status } = spawnSync(process.execPath, [...startArguments(), '--help'], {
      env: readerEnvironment(),
      encoding: 'utf8',
    });
    assert.equal(status, 0);
    for (const { environment } of Object.values(settings))
      assert.ok(stdout.includes(environment), environment);
  });
});

/** Each first start creates new ids and passwords. */
function withoutIds(text: string): string {
  return text
    .replace(/\b(payment|client)_[0-9a-z]{26}\b/g, '$1_…')
    .replace(/\b[0-9a-z]{4}(?:-[0-9a-z]{4}){3}\b/g, '…');
}
