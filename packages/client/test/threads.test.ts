import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isMainThread, Worker } from 'node:worker_threads';
import { createRequestSigner, shareSecondsWithWorkers } from '../src/node.ts';
import { clientId, privateKeyPem } from './keys.ts';

const worker = fileURLToPath(new URL('signing-thread.ts', import.meta.url));
const run = promisify(execFile);

interface ThreadInput {
  readonly clientId: string;
  readonly privateKey: string;
  readonly nowMs: number;
  readonly count: number;
  readonly method?: 'GET' | undefined;
  readonly sharedFolder?: string | undefined;
}

/** Starts a thread that signs equal requests, and returns the seconds that it signed in. */
function signInThread(input: ThreadInput): Promise<readonly number[]> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(worker, { workerData: input });
    thread.once('message', ({ seconds }: { readonly seconds: readonly number[] }) => resolve(seconds));
    thread.once('error', reject);
  });
}

const input: ThreadInput = { clientId, privateKey: privateKeyPem, nowMs: 1_800_000_000_000, count: 7 };

describe('threads of one process', () => {
  it('never sign the same base twice', async () => {
    assert.ok(isMainThread);
    shareSecondsWithWorkers();
    const seconds = (await Promise.all(Array.from({ length: 4 }, () => signInThread(input)))).flat();
    assert.equal(seconds.length, 28);
    assert.equal(new Set(seconds).size, 28);
    const signer = createRequestSigner({ clientId, privateKey: privateKeyPem, now: () => input.nowMs });
    const here = await signer.sign({ method: 'POST', url: 'https://a.test/', body: 'equal' });
    assert.ok(!seconds.includes(here.created));
  });

  it('sign equal reads in one second', async () => {
    shareSecondsWithWorkers();
    const reads: ThreadInput = { ...input, method: 'GET', count: 50 };
    const seconds = (await Promise.all(Array.from({ length: 4 }, () => signInThread(reads)))).flat();
    assert.equal(seconds.length, 200);
    // A few, on a machine that needs as many seconds for it.
    const used = new Set(seconds);
    assert.ok(used.has(input.nowMs / 1000) && used.size < 10, [...used].join());
  });

  it('warn where they cannot share, and need no warning where a folder does it', async () => {
    // A process of its own, whose main thread knows nothing of the package.
    const folder = mkdtempSync(join(tmpdir(), 'countersign-seconds-'));
    const program = `
      import { Worker } from 'node:worker_threads';
      for (const sharedFolder of ${JSON.stringify([join(folder, 'used'), null])}) {
        const workerData = { ...${JSON.stringify(input)}, sharedFolder: sharedFolder ?? undefined };
        const thread = new Worker(${JSON.stringify(worker)}, { workerData });
        const { warnings } = await new Promise((resolve) => thread.once('message', resolve));
        console.log(JSON.stringify(warnings));
      }`;
    try {
      const script = join(folder, 'main.mjs');
      writeFileSync(script, program);
      const { stdout } = await run(process.execPath, [script], { timeout: 60_000 });
      assert.deepEqual(stdout.trim().split('\n'), ['[]', '["COUNTERSIGN_SECONDS_NOT_SHARED"]']);
      assert.equal(readdirSync(join(folder, 'used')).length, 7);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('a shared folder', () => {
  it('keeps the equal requests of several processes and threads apart, in the layout that all signers share', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-seconds-'));
    try {
      const sharedFolder = join(folder, 'used');
      const program = `import { signEqual } from ${JSON.stringify(worker)};
        console.log(JSON.stringify(await signEqual(${JSON.stringify({ ...input, sharedFolder })})));`;
      const script = join(folder, 'main.mjs');
      writeFileSync(script, program);
      const outputs = await Promise.all(
        [1, 2, 3].map(() => run(process.execPath, [script], { timeout: 60_000 })),
      );
      const seconds = outputs.flatMap(({ stdout }) => JSON.parse(stdout) as number[]);
      assert.equal(new Set(seconds).size, 21);
      const files = readdirSync(sharedFolder);
      assert.equal(files.length, 21);
      // SHA-256 of the clientId, POST, https://a.test/ and the Content-Digest of "equal", joined by zero bytes.
      const hash = new Set(files.map((name) => name.split('.')[0]));
      assert.deepEqual([...hash], ['4cbf34333e3cd24d56c9745b93918a6b']);
      assert.deepEqual(new Set(files.map((name) => Number(name.split('.')[1]))), new Set(seconds));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('records equal reads, which share a second', async () => {
    const sharedFolder = mkdtempSync(join(tmpdir(), 'countersign-seconds-'));
    try {
      const reads: ThreadInput = { ...input, method: 'GET', count: 50, sharedFolder };
      const seconds = (await Promise.all([signInThread(reads), signInThread(reads)])).flat();
      const used = new Set(seconds);
      assert.ok(used.has(input.nowMs / 1000) && used.size < 10, [...used].join());
      assert.deepEqual(new Set(readdirSync(sharedFolder).map((name) => Number(name.split('.')[1]))), used);
    } finally {
      rmSync(sharedFolder, { recursive: true, force: true });
    }
  });

  it('gives equal reads no second that another process took more than a second ago', async () => {
    const sharedFolder = mkdtempSync(join(tmpdir(), 'countersign-seconds-'));
    try {
      const options = { clientId, privateKey: privateKeyPem, sharedFolder, now: () => input.nowMs };
      const read = { method: 'GET', url: 'https://a.test/taken-ahead' };
      const { created } = await createRequestSigner(options).sign(read);
      const [file] = readdirSync(sharedFolder);
      const taken = Date.now() / 1000 - 2;
      utimesSync(join(sharedFolder, file!), taken, taken);
      assert.equal((await createRequestSigner(options).sign(read)).created, created + 1);
    } finally {
      rmSync(sharedFolder, { recursive: true, force: true });
    }
  });

  it('forgets files that no service accepts any more, and leaves other files alone', async () => {
    const sharedFolder = mkdtempSync(join(tmpdir(), 'countersign-seconds-'));
    try {
      const now = input.nowMs / 1000;
      const name = 'a'.repeat(32);
      const [old, recent, other] = [`${name}.${now - 421}`, `${name}.${now - 419}`, 'notes.txt'];
      for (const file of [old, recent, other]) writeFileSync(join(sharedFolder, file), '');
      const signer = createRequestSigner({
        clientId,
        privateKey: privateKeyPem,
        sharedFolder,
        now: () => input.nowMs,
      });
      await signer.sign({ method: 'GET', url: 'https://a.test/forget' });
      const files = readdirSync(sharedFolder);
      assert.deepEqual(
        [old, recent, other].map((file) => files.includes(file)),
        [false, true, true],
      );
      assert.equal(files.length, 3);
    } finally {
      rmSync(sharedFolder, { recursive: true, force: true });
    }
  });

  it('that cannot be written stops the signer', async () => {
    const signer = createRequestSigner({ clientId, privateKey: privateKeyPem, sharedFolder: '/dev/null/a' });
    await assert.rejects(signer.sign({ method: 'GET', url: 'https://a.test/' }), {
      code: 'signing_failed',
      message: /\/dev\/null\/a cannot be written \(ENOTDIR\)/,
    });
  });
});
