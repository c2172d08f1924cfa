import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { refusalCodes, RefusedError, type SigningErrorCode } from '@countersign/client/node';
import { problems } from '@countersign/contract/problems';
import { freePort } from '@countersign/testing/free-port';
import { keyPair, otherKeyPair, type RunningService, runService } from '@countersign/testing/running-service';
import { readSnippets } from '../../packages/portal/documents/snippets.ts';
import { snippetCode } from '../../packages/portal/src/snippets/snippet.ts';
import { oddClientId, oddFile } from '../../packages/portal/test/odd-values.ts';
import { readerEnvironment, readerFolder, root } from './reader-folder.ts';
import { readDocument, runBlock, testBlocks } from './run-block.ts';
import { tables } from './tables.ts';

const path = 'packages/client/README.md';
const run = promisify(execFile);
const { text } = readDocument(path);

describe(path, () => {
  const { folder, remove } = readerFolder();
  let running: RunningService;
  let environment: Record<string, string>;
  before(async () => {
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    running = await runService({ COUNTERSIGN_PORT: String(port), COUNTERSIGN_PUBLIC_BASE_URLS: baseUrl });
    const { clientId } = await running.addClient();
    environment = {
      COUNTERSIGN_BASE_URL: baseUrl,
      COUNTERSIGN_CLIENT_ID: clientId,
      COUNTERSIGN_PRIVATE_KEY_FILE: 'private.pem',
    };
    writeFileSync(join(folder, 'private.pem'), keyPair.privateKey);
  });
  after(async () => {
    await running?.close();
    remove();
  });

  it('has a first request that is accepted', async () => {
    const [first, ...others] = testBlocks(path);
    const { exitCode, output, errors } = await runBlock(first!, folder, environment);
    assert.equal(exitCode, 0, errors);
    assert.equal(output, '201 pending\n');
    assert.deepEqual(others, []);
  });

  it('is preceded by a page whose program is accepted as the portal fills it in, and says what a refusal means', async () => {
    const program = readSnippets().find(({ id }) => id === 'javascript')!.withPackage;
    const send = async (clientId: string): Promise<{ stdout: string }> => {
      const values = { baseUrl: environment['COUNTERSIGN_BASE_URL']!, clientId, privateKeyFile: oddFile };
      writeFileSync(join(folder, program.fileName), snippetCode(program, values));
      return run(process.execPath, [program.fileName], { cwd: folder, env: readerEnvironment() });
    };
    await running.addClient({ clientId: oddClientId, keyPair: otherKeyPair });
    writeFileSync(join(folder, oddFile), otherKeyPair.privateKey);
    const { stdout } = await send(oddClientId);
    const [status, answer = ''] = stdout.split(/ (.*)/s);
    const { clientId, method } = JSON.parse(answer) as Record<string, string>;
    assert.deepEqual({ status, clientId, method }, { status: '200', clientId: oddClientId, method: 'POST' });
    await assert.rejects(send('nobody'), { code: 1, stderr: /^signature_invalid: .+\n$/ });
  });

  it('has every option, every error and every member of a refusal', () => {
    const source = (file: string): string => readFileSync(join(root, 'packages/client/src', file), 'utf8');
    const namesIn = (file: string): string[] =>
      [...source(file).matchAll(/^ +(?:\| \{ )?readonly (\w+)\??:/gm)].map(([, name]) => name!);
    const options = [...namesIn('signing/options.ts'), ...namesIn('on-node/node-options.ts')];
    const ofCryptoKey = new Set(['type', 'extractable', 'usages']);
    const table = tables(text).find(({ head }) => head[0] === 'Option')!;
    assert.deepEqual(
      table.rows.map(([name = '']) => name.replaceAll('`', '')).toSorted(),
      [...new Set(options)].filter((name) => !ofCryptoKey.has(name)).toSorted(),
    );
    const codes: Record<Exclude<SigningErrorCode, 'already_signed'>, true> = {
      keyid_invalid: true,
      private_key_invalid: true,
      request_invalid: true,
      body_too_large: true,
      too_many_equal_requests: true,
      repeat_not_signed: true,
      signing_failed: true,
    };
    const error = new RefusedError({
      status: 401,
      code: 'signature_missing',
      title: '',
      detail: '',
      type: undefined,
      reason: undefined,
      requestId: undefined,
      serverTime: undefined,
      explanation: undefined,
      retryAfterSeconds: undefined,
    });
    for (const name of [...Object.keys(codes), ...Object.keys(error).filter((one) => one !== 'name')])
      assert.ok(text.includes(`\`${name}\``), name);
  });

  it('is right about which refusals are the service’s own', () => {
    const own = Object.entries(problems).filter(([code, { check, metBy }]) => {
      // An operation responds with these when its input is wrong.
      if (code === 'body_invalid' || code === 'query_invalid') return false;
      return check !== undefined || metBy === 'every request' || metBy === 'protected API';
    });
    assert.deepEqual(own.map(([code]) => code).toSorted(), [...refusalCodes].toSorted());
  });
});
