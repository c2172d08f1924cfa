import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { missingPrograms } from './installed.ts';
import { folderWithKeys, otherPair, pair } from './key-files.ts';
import { headerOf, startSignedService } from './signed-service.ts';

const script = fileURLToPath(new URL('../../../examples/openssl.sh', import.meta.url));
const skip = missingPrograms('openssl', 'curl');

async function openssl(
  folder: string,
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = { CLIENT_ID: 'client_test', PRIVATE_KEY: 'private.pem' },
): Promise<{ code: number; out: Buffer; errors: string }> {
  const child = spawn('sh', [script, ...argv], {
    cwd: folder,
    // The script creates its scratch folder here, so that the test sees what it leaves behind.
    env: { PATH: process.env['PATH'], TMPDIR: folder, NO_PROXY: '*', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const out: Buffer[] = [];
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const [code] = (await once(child, 'close')) as [number];
  return { code, out: Buffer.concat(out), errors };
}

describe('examples/openssl.sh', { skip }, () => {
  it('says what is wrong with its arguments', async (context) => {
    const folder = folderWithKeys(context);
    const url = 'http://127.0.0.1:9/';
    const whole = { CLIENT_ID: 'client_test', PRIVATE_KEY: 'private.pem' };
    const cases: readonly { argv: readonly string[]; environment?: Record<string, string>; says: RegExp }[] =
      [
        { argv: [], says: /call it with METHOD URL/ },
        { argv: ['GET', url, 'a', 'b'], says: /call it with METHOD URL/ },
        { argv: ['GET', url], environment: { PRIVATE_KEY: 'private.pem' }, says: /set CLIENT_ID/ },
        { argv: ['GET', url], environment: { CLIENT_ID: 'c' }, says: /set PRIVATE_KEY/ },
        {
          argv: ['GET', url],
          environment: { ...whole, PRIVATE_KEY: 'missing.pem' },
          says: /missing\.pem cannot be read/,
        },
        {
          argv: ['GET', url],
          environment: { ...whole, PRIVATE_KEY: 'public.pem' },
          says: /could not sign with public\.pem/,
        },
        { argv: ['GET', url], environment: { ...whole, CLIENT_ID: 'a"b' }, says: /CLIENT_ID has characters/ },
        {
          argv: ['GET', url],
          environment: { ...whole, CLIENT_ID: 'a\\b' },
          says: /CLIENT_ID has characters/,
        },
        {
          argv: ['GET', url],
          environment: { ...whole, CLIENT_ID: 'a\nb' },
          says: /CLIENT_ID has characters/,
        },
        { argv: ['GET /x', url], says: /method must be a word/ },
        { argv: ['', url], says: /method must be a word/ },
        { argv: ['GET', 'http://h/a b'], says: /percent-encoded/ },
        { argv: ['GET', 'http://h/ü'], says: /percent-encoded/ },
        { argv: ['GET', 'http://h/a\nb'], says: /percent-encoded/ },
        { argv: ['GET', 'http://h/a#b'], says: /fragment/ },
        { argv: ['GET', '/v1/whoami'], says: /must begin with https/ },
        { argv: ['GET', 'file:///etc/passwd'], says: /must begin with https/ },
        { argv: ['GET', 'http:///x'], says: /must name a host/ },
        { argv: ['GET', 'http://user@h/'], says: /no user or password/ },
        { argv: ['GET', 'http://Host/'], says: /lower case/ },
        { argv: ['GET', 'http://h:80/'], says: /leave out the port/ },
        { argv: ['POST', url, 'missing.json'], says: /missing\.json cannot be read/ },
        { argv: ['POST', url, '.'], says: /cannot be read/ },
      ];
    for (const { argv, environment = whole, says } of cases) {
      const { code, out, errors } = await openssl(folder, argv, environment);
      assert.match(errors, says, JSON.stringify(argv));
      assert.equal(code, 2);
      assert.equal(out.length, 0);
    }
    assert.deepEqual(readdirSync(folder).toSorted(), ['private.pem', 'public.pem'], 'nothing stays behind');
  });

  it('passes on that the service refused, or did not answer', async (context) => {
    const folder = folderWithKeys(context);
    const { origin } = await startSignedService(context, { publicKey: otherPair.publicKey });
    const refused = await openssl(folder, ['GET', `${origin}/`]);
    assert.equal(refused.code, 1);
    assert.match(refused.errors, /HTTP status 401/);
    assert.match(refused.out.toString(), /"code":"signature_invalid"/);
    assert.equal((await openssl(folder, ['GET', 'http://127.0.0.1:9/'])).code, 7, 'as curl says it');
  });

  it('signs requests of every kind', async (context) => {
    const folder = folderWithKeys(context);
    const { origin, arrived } = await startSignedService(context, { publicKey: pair.publicKey });
    const json = Buffer.from('{"amount":1250,"reference":"it\'s $HOME `x`"}\n');
    const binary = Buffer.from([0, 10, 13, 10, 255, 0, 0x80, 10]);
    writeFileSync(join(folder, 'payment.json'), json);
    writeFileSync(join(folder, 'a body, with $(signs).bin'), binary);
    writeFileSync(join(folder, 'empty'), '');
    const type = 'application/json';
    const cases: readonly {
      argv: readonly string[];
      target: string;
      body?: Buffer;
      type?: string;
      environment?: Record<string, string>;
    }[] = [
      { argv: ['GET', '/v1/whoami'], target: '/v1/whoami' },
      { argv: ['get', ''], target: '/' },
      { argv: ['GET', '?limit=1'], target: '/?limit=1' },
      {
        argv: ['GET', `/a/../b/./%2e%2e/[1]{2}?q=$HOME&x='y'"z"\`\\%20*!&&=?;`],
        target: `/a/../b/./%2e%2e/[1]{2}?q=$HOME&x='y'"z"\`\\%20*!&&=?;`,
      },
      { argv: ['HEAD', '/x'], target: '/x' },
      { argv: ['DELETE', '/x?'], target: '/x?' },
      { argv: ['POST', '/v1/payments/1/cancel'], target: '/v1/payments/1/cancel' },
      { argv: ['POST', '/empty', 'empty'], target: '/empty' },
      { argv: ['POST', '/v1/payments', 'payment.json'], target: '/v1/payments', body: json, type },
      {
        argv: ['PUT', '/bin', 'a body, with $(signs).bin'],
        target: '/bin',
        body: binary,
        type: 'application/octet-stream',
        environment: { CONTENT_TYPE: 'application/octet-stream' },
      },
    ];
    for (const { argv, target, body = Buffer.alloc(0), type: expectedType, environment = {} } of cases) {
      const [method = '', path = '', ...file] = argv;
      const whole = { CLIENT_ID: 'client_test', PRIVATE_KEY: 'private.pem', ...environment };
      const { code, out, errors } = await openssl(folder, [method, origin + path, ...file], whole);
      const request = arrived.at(-1)!;
      assert.ok(request.verification.ok, `${JSON.stringify(argv)}: ${JSON.stringify(request.verification)}`);
      assert.equal(code, 0, errors);
      assert.equal(request.method, method.toUpperCase());
      assert.equal(request.target, target);
      assert.deepEqual(request.body, body);
      assert.equal(headerOf(request, 'content-type'), expectedType);
      assert.equal(headerOf(request, 'content-digest') !== undefined, body.length > 0);
      if (method !== 'HEAD') assert.equal(out.toString(), '{"ok":true}');
    }
    assert.equal(readdirSync(folder).filter((name) => name.startsWith('tmp.')).length, 0);
  });
});
