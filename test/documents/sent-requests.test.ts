import assert from 'node:assert/strict';
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { exits } from '../../packages/cli/src/exits.ts';
import { folderWithKeys, pair } from '../../packages/cli/test/key-files.ts';
import { startProxy } from '../../packages/cli/test/proxy-scene.ts';
import { asHttp, startSignedService } from '../../packages/cli/test/signed-service.ts';
import { readDocument, runBlock, testBlocks } from './run-block.ts';

const target = '/v1/%7Ejane';

/** The received request after a hop that decodes unneeded escapes. */
function decoded(received: Buffer): string {
  return received.toString('latin1').replace('/%7Ejane ', '/~jane ');
}

const told =
  /^Changed between \S+\.http and the service: The path was encoded differently \(%7E became ~\)\.\nThe signature is valid in \S+\.http, and no longer in the service\.\n/;

describe('the commands that compare what was sent with what was received', () => {
  it('docs/signing-proxy.md: with a file of --trace', async (t) => {
    const [block, ...others] = testBlocks('docs/signing-proxy.md');
    assert.ok(block && others.length === 0);
    const service = await startSignedService(t, { publicKey: pair.publicKey });
    const { text } = readDocument('docs/signing-proxy.md');
    const trace = /`(--trace \S+)`/.exec(text)![1]!.split(' ');
    const proxy = await startProxy(t, { target: service.origin, argv: trace });
    assert.equal((await fetch(proxy.address + target, { method: 'POST', body: '{"a":1}' })).status, 200);
    await proxy.stop();
    const folder = join(proxy.folder, trace[1]!);
    const [name = ''] = readdirSync(folder);
    const shown = / --sent \S+\/(\S+)/.exec(block.text)![1]!;
    const form = /^\d{8}T\d{6}Z-000001\.http$/;
    assert.match(name, form);
    assert.match(shown, form);
    renameSync(join(folder, name), join(folder, shown));
    writeFileSync(join(proxy.folder, 'public.pem'), pair.publicKey);
    writeFileSync(join(proxy.folder, 'received.http'), decoded(asHttp(service.arrived[0]!)));
    const { exitCode, output, errors } = await runBlock(block, proxy.folder);
    assert.match(output, told, errors);
    assert.equal(exitCode, exits.refused.code);
  });

  it('docs/troubleshooting.md: with a file of --save', async (t) => {
    const folder = folderWithKeys(t);
    const service = await startSignedService(t, { publicKey: pair.publicKey });
    const signer = '--client-id client_test --key private.pem';
    const { text } = readDocument('docs/signing-proxy.md');
    const save = /`(countersign request --save \S+)`/.exec(text)![1]!;
    const saved = await runBlock(
      shell(`${save} ${signer} POST ${service.origin}${target} -d '{"a":1}'`),
      folder,
    );
    assert.equal(saved.exitCode, exits.ok.code, saved.errors);
    const { text: page } = readDocument('docs/troubleshooting.md');
    const explain = /`(countersign explain \S+ --sent \S+)`/.exec(page)![1]!;
    for (const [received, expected] of [
      [decoded(asHttp(service.arrived[0]!)), /^Changed between sent\.http and the service: .*%7E became ~/],
      [asHttp(service.arrived[0]!), /^Nothing that is signed changed between sent\.http and the service/],
    ] as const) {
      writeFileSync(join(folder, 'received.http'), received);
      const { output, errors } = await runBlock(shell(explain), folder);
      assert.match(output, expected, errors);
      assert.match(output, /With --key public\.pem it can be proved\./);
    }
  });
});

function shell(text: string): Parameters<typeof runBlock>[0] {
  return { path: 'docs/troubleshooting.md', line: 0, language: 'sh', text };
}
