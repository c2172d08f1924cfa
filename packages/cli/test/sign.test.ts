import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { acceptReplaysUnsafely, createVerificationKey, verifyRequest } from '@countersign/signature/node';
import { exits } from '../src/exits.ts';
import { missingPrograms } from './installed.ts';
import { folderWithKeys, pair } from './key-files.ts';
import { run } from './run.ts';
import { headerOf, startSignedService } from './signed-service.ts';

const credentials = ['--client-id', 'client_test', '--key', 'private.pem'];

describe('sign', () => {
  it('gives one form at a time', async (context) => {
    const argv = ['sign', 'GET', 'http://h/', ...credentials, '--curl', '--json'];
    const { code } = await run(argv, { folder: folderWithKeys(context) });
    assert.equal(code, exits.usage.code);
  });

  it('refuses a curl line for a body that does not fit into one', async (context) => {
    const folder = folderWithKeys(context);
    const argv = ['sign', 'POST', 'http://h/', '-d', '@-', ...credentials, '--curl'];
    for (const input of [Buffer.from([0x61, 0]), Buffer.from([0xff, 0xfe]), Buffer.alloc(200_000, 'a')]) {
      const { code, errors } = await run(argv, { folder, input });
      assert.equal(code, exits.usage.code);
      assert.match(errors, /Save it to a file and pass it as -d @FILE/);
    }
  });

  it('prints headers that verify', async (context) => {
    const folder = folderWithKeys(context);
    const url = 'https://api.example.com/v1/payments?limit=2';
    const { code, out, errors } = await run(['sign', 'post', url, '-d', '{"a":1}', ...credentials], {
      folder,
    });
    assert.equal(code, exits.ok.code);
    assert.equal(errors, '');
    const headers = out
      .trimEnd()
      .split('\n')
      .map((line): [string, string] => {
        const [name = '', ...value] = line.split(': ');
        return [name, value.join(': ')];
      });
    assert.deepEqual(
      headers.map(([name]) => name),
      ['Content-Digest', 'Date', 'Signature-Input', 'Signature'],
    );
    const client = { keys: [createVerificationKey(pair.publicKey)] };
    const verification = verifyRequest(
      { method: 'POST', targetUri: url, headers, body: Buffer.from('{"a":1}') },
      { clientByKeyid: () => client, guard: acceptReplaysUnsafely },
    );
    assert.ok(verification.ok);
  });

  it('prints JSON', async (context) => {
    const folder = folderWithKeys(context);
    const { out } = await run(['sign', 'GET', 'http://H:80/a/../b', ...credentials, '--json'], { folder });
    const { url, method, headers, signatureBase } = JSON.parse(out) as Record<
      string,
      string & Record<string, string>
    >;
    assert.equal(url, 'http://h/b');
    assert.equal(method, 'GET');
    assert.match(headers?.['signature-input'] ?? '', /^sig=\("@method" "@target-uri" "date"\);created=/);
    assert.match(signatureBase ?? '', /^"@method": GET\n"@target-uri": http:\/\/h\/b\n/);
  });

  it(
    'prints a curl line that the shell runs as it was signed',
    { skip: missingPrograms('curl') },
    async (context) => {
      const folder = folderWithKeys(context);
      const { origin, arrived } = await startSignedService(context, { publicKey: pair.publicKey });
      const binary = Buffer.from([0, 13, 10, 255, 10]);
      writeFileSync(join(folder, "it's $(a) body.bin"), binary);
      const cases: readonly { argv: readonly string[]; body?: Uint8Array; type?: string; input?: string }[] =
        [
          { argv: ['GET', `/a%2e%2eb/[1]{2}?q=$HOME&x='y'\`z\`\\`] },
          { argv: ['HEAD', '/'] },
          { argv: ['DELETE', '/x'] },
          { argv: ['POST', '/'] },
          {
            argv: ['POST', '/', '-d', `{"it's":"$HOME \\n \`x\` !"}`],
            body: Buffer.from(`{"it's":"$HOME \\n \`x\` !"}`),
            type: 'application/json',
          },
          { argv: ['POST', '/', '-d', 'line\r\nline\n'], body: Buffer.from('line\r\nline\n') },
          { argv: ['PUT', '/', '-d', `@it's $(a) body.bin`], body: binary },
          { argv: ['POST', '/', '-d', '@-'], input: '@/etc/hostname', body: Buffer.from('@/etc/hostname') },
          { argv: ['GET', '/', '-H', 'X-Empty:', '-H', `X-Quoted: "it's" $(b)`] },
        ];
      for (const { argv, body = Buffer.alloc(0), type, input = '' } of cases) {
        const [method = '', path = '', ...more] = argv;
        const signed = await run(['sign', method, origin + path, ...more, ...credentials, '--curl'], {
          folder,
          input,
        });
        assert.equal(signed.code, exits.ok.code, signed.errors);
        const line = signed.out.replace(/^curl/, 'curl --silent --show-error --fail --disable --noproxy "*"');
        await promisify(execFile)('sh', ['-c', line], { cwd: folder, timeout: 10_000 });
        const request = arrived.at(-1)!;
        assert.ok(request.verification.ok, JSON.stringify(request.verification));
        assert.deepEqual(request.body, Buffer.from(body));
        assert.equal(headerOf(request, 'content-type'), type);
      }
      assert.equal(headerOf(arrived.at(-1)!, 'x-empty'), '');
      assert.equal(headerOf(arrived.at(-1)!, 'x-quoted'), `"it's" $(b)`);
    },
  );
});
