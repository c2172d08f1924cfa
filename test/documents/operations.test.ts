import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@countersign/testing/wait-until';
import { settings } from '../../packages/server/src/configuration/settings.ts';
import { createSigner } from '../../packages/signature/src/node.ts';
import { type DemonstrationService, startArguments, startDemonstration } from './demonstration-service.ts';
import { readerEnvironment, readerFolder, root } from './reader-folder.ts';
import { type BlockRun, readDocument, runBlock, testBlocks } from './run-block.ts';
import { section, tableRows } from './tables.ts';

/** The pages with a block that runs, or a table that is compared, in the order in which their blocks are used. */
const pages = ['settings', 'storage', 'clients', 'logs', 'monitoring'].map(
  (name) => `docs/operations/${name}.md`,
);
const text = pages.map((path) => readDocument(path).text).join('\n');
const blocks = pages.flatMap((path) => testBlocks(path));
const [backup, restore, ...clients] = blocks;
const logLine = clients.pop()!;

/** The line of each setting that the page may word differently. */
const derived = ['from the port', 'from the base URL', 'from the others', 'empty'];

describe('docs/operations', () => {
  let service: DemonstrationService;
  let remove = async (): Promise<void> => undefined;
  before(async () => {
    service = await startDemonstration();
    remove = () => service.remove();
  });
  after(() => remove());

  it('lists the settings in the order of the code, with their names, variables and defaults', () => {
    const rows = tableRows(section(text, 'Settings')).map(([name, variable, value]) => {
      return [name, variable, derived.includes(value ?? '') ? '' : value];
    });
    const expected = Object.entries(settings).map(([name, { environment, default: value }]) => {
      return [`\`${name}\``, `\`${environment}\``, value ? `\`${value}\`` : ''];
    });
    assert.deepEqual(rows, expected);
  });

  it('has no other blocks than those that run below', () => {
    const elsewhere = readdirSync(join(root, 'docs/operations')).map((name) => `docs/operations/${name}`);
    for (const path of elsewhere) if (!pages.includes(path)) assert.deepEqual(testBlocks(path), [], path);
    assert.deepEqual(
      blocks.map((block) => firstWords(block.text)),
      [
        'npx countersign',
        'rm -f',
        'npx countersign',
        'npx countersign',
        'npx countersign',
        'old=$(npx countersign',
        'grep --fixed-strings',
      ],
    );
  });

  it('manages clients and changes a key without a gap', async () => {
    // The blocks of a section are typed in one terminal.
    const session = clients.map((block) => block.text).join('\n');
    const { exitCode, output, errors } = await run(service, session);
    assert.equal(exitCode, 0, errors);
    const shown = [...output.matchAll(/"keyFingerprint":"(SHA256:[^"]+)"/g)].map((match) => match[1]);
    assert.equal(shown.length, 2, output);
    assert.notEqual(shown[0], shown[1], 'the second request is signed with the new key');
    assert.match(output, /key +key_\w+ +SHA256:\S+ +RSA, 3072 bits +revoked/);
  });

  it('is right about the data folder and the log', async () => {
    await succeed(service, 'npx countersign request GET "/v1/payments?limit=7"');
    const files = dataFiles(service);
    for (const file of files)
      assert.ok(text.includes(`\`${file.replace(/(?:-wal|-shm|-journal)$/, '')}`), file);
    if (process.platform !== 'win32') {
      assert.equal(statSync(join(service.folder, 'data')).mode & 0o777, 0o700);
      assert.equal(statSync(join(service.folder, 'data/demo/private.pem')).mode & 0o777, 0o600);
    }
    // No client of the demonstration has another profile.
    const members = tableRows(section(text, 'Logs'))
      .flatMap(([names = '']) => names.replaceAll('`', '').split(', '))
      .filter((name) => name !== 'profile');
    const readLog = (): string => readFileSync(join(service.folder, 'data/log.jsonl'), 'utf8');
    // The demonstration has called the same path before.
    const lastAccepted = (): string =>
      readLog()
        .split('\n')
        .findLast((line) => line.includes('"outcome":"accepted"')) ?? '';
    await waitUntil(() => lastAccepted().includes('"path":"/v1/payments"'), 'the line of the last request');
    const log = readLog();
    const written = new Set(
      log
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object)
        // Other lines report problems, such as a slow disk, and have members of their own.
        .filter((line) => 'requestId' in line || 'settings' in line)
        .flatMap((line) => Object.keys(line)),
    );
    assert.deepEqual([...written].filter((name) => name !== 'msg').toSorted(), members.toSorted());
    assert.ok(!log.includes('limit=7'), 'no query is logged');
    const { output } = await succeed(service, logLine.text);
    assert.match(output, /"path":"\/v1\/payments"/);
  });

  it('is right about health', async () => {
    for (const [path = ''] of tableRows(section(text, 'Health'))) {
      const answer = await fetch(baseUrlOf(service) + path.replaceAll('`', ''));
      assert.equal(answer.status, 200, path);
      await answer.arrayBuffer();
    }
  });

  it('backs up while the service runs, and restores what was there', async () => {
    // A start removes unfinished demo data, and writes it again in the background.
    await waitUntil(
      () => !existsSync(join(service.folder, 'data/demo/demo-data-unfinished')),
      'the demo data',
    );
    await succeed(service, backup!.text);
    const copy = join(service.folder, 'backup.sqlite');
    if (process.platform !== 'win32') assert.equal(statSync(copy).mode & 0o777, 0o600);
    const again = await run(service, backup!.text);
    assert.notEqual(again.exitCode, 0, 'a backup is not overwritten');
    const listed = await succeed(service, 'npx countersign clients list');
    await succeed(service, `npx countersign clients disable ${credentialsOf(service).clientId}`);
    await service.stop();
    await succeed(service, restore!.text);
    await service.startAgain();
    assert.equal((await succeed(service, 'npx countersign clients list')).output, listed.output);
    await succeed(service, 'npx countersign request GET /v1/whoami');
  });

  it('is right about a clean stop and a crash', async () => {
    const ask = 'npx countersign request GET /v1/whoami';
    await succeed(service, ask);
    assert.equal(await service.stop(), 0);
    assert.deepEqual(dataFiles(service), [
      'countersign.sqlite',
      'demo',
      'log.jsonl',
      'replay-mark.json',
      'replay-snapshot.bin',
      'service.lock',
    ]);
    await service.startAgain();
    await succeed(service, ask);
    const aheadSeconds = Math.floor(Date.now() / 1000) + 50;
    assert.equal(await askAt(service, aheadSeconds, 1), 200);
    await service.crash();
    await service.startAgain();
    // A second that only a fast client used, and those of the last requests: in three seconds these are over.
    assert.equal(await askAt(service, aheadSeconds, 2), 503);
    await sleep(3000);
    await succeed(service, ask);
  });

  it('is right that without --demo there is no demo client', async (t) => {
    const { folder, remove: removeFolder } = readerFolder();
    const [main = ''] = startArguments();
    const environment = { ...readerEnvironment(), COUNTERSIGN_PORT: '0', COUNTERSIGN_LOG_LEVEL: 'error' };
    const child = spawn(process.execPath, [main], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close');
    t.after(async () => {
      child.kill('SIGKILL');
      await closed;
      removeFolder();
    });
    let printed = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      const wasReady = printed.includes('Ctrl-C');
      printed += chunk as string;
      // Only once: a second signal would end it immediately.
      if (!wasReady && printed.includes('Ctrl-C')) child.kill('SIGTERM');
    }
    assert.deepEqual(await closed, [0, null]);
    assert.doesNotMatch(printed, /demo/i);
    assert.ok(!readdirSync(join(folder, 'data')).includes('demo'));
  });
});

/**
 * Runs commands with the address of this service instead of the document's. A function replaces npx, which
 * takes longer than the program it starts; the test of README.md calls the real one.
 */
function run(service: DemonstrationService, commands: string): Promise<BlockRun> {
  const here = `npx() { "$PWD/node_modules/.bin/$@"; }\n${commands.replaceAll('http://127.0.0.1:8421', baseUrlOf(service))}`;
  return runBlock({ path: 'docs/operations', line: 0, language: 'sh', text: here }, service.folder);
}

async function succeed(service: DemonstrationService, commands: string): Promise<BlockRun> {
  const result = await run(service, commands);
  assert.equal(result.exitCode, 0, result.errors);
  return result;
}

function baseUrlOf(service: DemonstrationService): string {
  return credentialsOf(service).baseUrl;
}

function credentialsOf({ folder }: DemonstrationService): { clientId: string; baseUrl: string } {
  return JSON.parse(readFileSync(join(folder, 'data/demo/credentials.json'), 'utf8')) as {
    clientId: string;
    baseUrl: string;
  };
}

/** Requests some payments of the demo client with a signature of this second, and returns the status. */
async function askAt(service: DemonstrationService, created: number, limit: number): Promise<number> {
  const { clientId, baseUrl } = credentialsOf(service);
  const privateKey = readFileSync(join(service.folder, 'data/demo/private.pem'), 'utf8');
  const url = `${baseUrl}/v1/payments?limit=${limit}`;
  const signed = createSigner({ keyid: clientId, privateKey }).sign({ method: 'GET', url }, { created });
  const answer = await fetch(signed.url, { headers: { ...signed.headers } });
  await answer.arrayBuffer();
  return answer.status;
}

function dataFiles(service: DemonstrationService): string[] {
  return readdirSync(join(service.folder, 'data')).toSorted();
}

function firstWords(commands: string): string {
  return commands.split(/\s+/).slice(0, 2).join(' ');
}
