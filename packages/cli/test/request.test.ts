import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { exits } from '../src/exits.ts';
import { folderWithKeys, pair } from './key-files.ts';
import { run, runProgram } from './run.ts';
import { headerOf, startSignedService } from './signed-service.ts';

const credentials = ['--client-id', 'client_test', '--key', 'private.pem'];
const escapeCode = '\u001b';

describe('request', () => {
  it('sends what it signed, and prints the body of the answer alone', async (context) => {
    const folder = folderWithKeys(context);
    const { origin, arrived } = await startSignedService(context, { publicKey: pair.publicKey });
    const { code, out, errors } = await runProgram(
      ['request', 'get', `${origin}/v1/whoami`, ...credentials],
      { folder },
    );
    assert.equal(code, exits.ok.code, errors);
    assert.equal(out, '{"ok":true}');
    assert.match(errors, /^200 OK \(\d+ ms\)\n$/);
    const [request] = arrived;
    assert.ok(request?.verification.ok);
    assert.equal(request.method, 'GET');
    assert.equal(headerOf(request, 'content-length'), undefined);
    assert.equal(headerOf(request, 'content-digest'), undefined);
    assert.match(headerOf(request, 'user-agent') ?? '', /^countersign\/\d/);
  });

  it('sends every body as it is', async (context) => {
    const folder = folderWithKeys(context);
    const { origin, arrived } = await startSignedService(context, { publicKey: pair.publicKey });
    const binary = Buffer.from([0, 255, 13, 10, 10, 0, 0x80, ...Buffer.from('}\n')]);
    writeFileSync(join(folder, 'body.bin'), binary);
    const cases: readonly { argv: readonly string[]; input?: Uint8Array; body: Uint8Array; type?: string }[] =
      [
        { argv: ['-d', '{"amount":1}'], body: Buffer.from('{"amount":1}'), type: 'application/json' },
        { argv: ['-d', ' "ü" '], body: Buffer.from(' "ü" '), type: 'application/json' },
        { argv: ['-d', '{"amount":'], body: Buffer.from('{"amount":') },
        { argv: ['-d', 'a\r\nb\n'], body: Buffer.from('a\r\nb\n') },
        { argv: ['-d', '-v'], body: Buffer.from('-v') },
        { argv: ['--data=--json'], body: Buffer.from('--json') },
        { argv: ['-d', '{}', '-H', 'content-type: text/plain'], body: Buffer.from('{}'), type: 'text/plain' },
        { argv: ['-d', '@body.bin'], body: binary },
        { argv: ['-d', '@-'], input: binary, body: binary },
        { argv: ['-d', ''], body: Buffer.alloc(0) },
      ];
    for (const { argv, input, body, type } of cases) {
      // A lone "-v" would look like a forgotten value.
      const given = argv[1] === '-v' ? ['--data=-v'] : argv;
      const options = { folder, ...(input !== undefined && { input }) };
      const { code, errors } = await run(
        ['request', 'POST', `${origin}/`, ...credentials, ...given],
        options,
      );
      assert.equal(code, exits.ok.code, errors);
      const request = arrived.at(-1);
      assert.ok(request?.verification.ok);
      assert.deepEqual(request.body, Buffer.from(body));
      assert.equal(headerOf(request, 'content-length'), String(body.length));
      assert.equal(headerOf(request, 'content-type'), type);
    }
  });

  it('calls the URL that it signed, whatever it is made of', async (context) => {
    const folder = folderWithKeys(context);
    const { origin, arrived } = await startSignedService(context, { publicKey: pair.publicKey });
    const cases: readonly (readonly [url: string, target: string])[] = [
      ['', '/'],
      ['?', '/?'],
      ['/?', '/?'],
      ['/a/../b/./c', '/b/c'],
      ['/a%2Fb//c;d=1', '/a%2Fb//c;d=1'],
      ['/a b?q=ü&x=[1]{2}|3^', '/a%20b?q=%C3%BC&x=[1]{2}|3^'],
      [`/it's?q="x"&y='z'`, `/it's?q=%22x%22&y=%27z%27`],
      ['/back\\slash?q=a\\b', '/back/slash?q=a\\b'],
      ['/%zz%00?a=%', '/%zz%00?a=%'],
      ['/x?a=1&a=2#part', '/x?a=1&a=2'],
      ['/x#', '/x'],
    ];
    for (const [url, target] of cases) {
      const { code, errors } = await run(['request', 'GET', origin + url, ...credentials], { folder });
      assert.equal(code, exits.ok.code, `${url}: ${errors}`);
      assert.equal(arrived.at(-1)?.target, target);
    }
    const upperCase = origin.replace('http://', ' HTTP://');
    assert.equal(
      (await run(['request', 'GET', `${upperCase}/upper`, ...credentials], { folder })).code,
      exits.ok.code,
    );
  });

  it('sends equal requests in one second with different signatures, one process after the other', async (context) => {
    const folder = folderWithKeys(context);
    const { origin, arrived } = await startSignedService(context, { publicKey: pair.publicKey });
    const argv = ['request', 'POST', `${origin}/`, '-d', '{}', ...credentials];
    const nowMs = Date.now();
    for (let count = 0; count < 3; count++) {
      const { code, errors } = await run(argv, { folder, nowMs: () => nowMs });
      assert.equal(code, exits.ok.code, errors);
    }
    assert.equal(new Set(arrived.map((one) => headerOf(one, 'signature'))).size, 3);
    const remembered = (): number => readdirSync(join(folder, 'state', 'countersign', 'signed')).length;
    assert.equal(remembered(), 3);
    await run([...argv, '--timeout', '5'], { folder, nowMs: () => nowMs + 1_000_000 });
    assert.equal(remembered(), 1, 'what no service accepts any more is forgotten');
  });

  it('waits for a second of its own after many equal requests', async (context) => {
    const folder = folderWithKeys(context);
    const { origin, arrived } = await startSignedService(context, { publicKey: pair.publicKey });
    const standing = Date.now();
    const send = (method: string, nowMs: () => number): ReturnType<typeof run> =>
      run(['request', method, `${origin}/`, ...credentials], { folder, nowMs, pause: (ms) => sleep(ms) });
    for (let count = 0; count < 31; count++) await send('POST', () => standing);
    const refused = await send('POST', () => standing);
    assert.equal(refused.code, exits.local.code);
    assert.match(refused.errors, /too_many_equal_requests|one a second/);
    const startedMs = performance.now();
    const later = await send('POST', () => standing + (performance.now() - startedMs));
    assert.equal(later.code, exits.ok.code, later.errors);
    assert.equal(new Set(arrived.map((one) => headerOf(one, 'signature'))).size, 32);
  });

  it('works where no state can be kept', async (context) => {
    const folder = folderWithKeys(context);
    const { origin } = await startSignedService(context, { publicKey: pair.publicKey });
    const environment = { XDG_STATE_HOME: join(folder, 'public.pem') };
    assert.equal(
      (await run(['request', 'GET', `${origin}/`, ...credentials], { folder, environment })).code,
      exits.ok.code,
    );
  });

  it('takes credentials from a file, with a base URL, or from the environment', async (context) => {
    const folder = folderWithKeys(context);
    const { origin, arrived } = await startSignedService(context, { publicKey: pair.publicKey });
    const file = { clientId: 'client_test', privateKeyFile: 'private.pem', baseUrl: `${origin}/base/` };
    writeFileSync(join(folder, 'credentials.json'), JSON.stringify(file));
    const byFile = await run(['request', 'GET', '/v1/x?y=1', '--credentials', 'credentials.json'], {
      folder,
    });
    assert.equal(byFile.code, exits.ok.code, byFile.errors);
    assert.equal(arrived.at(-1)?.target, '/base/v1/x?y=1');

    const environment = {
      COUNTERSIGN_CLIENT_ID: 'client_test',
      COUNTERSIGN_PRIVATE_KEY_FILE: 'private.pem',
      COUNTERSIGN_BASE_URL: origin,
    };
    const byEnvironment = await run(['request', 'GET', '/v1/z'], { folder, environment });
    assert.equal(byEnvironment.code, exits.ok.code, byEnvironment.errors);
    assert.equal(arrived.at(-1)?.target, '/v1/z');
    const wins = await run(['request', 'GET', '/v1/z', '--client-id', 'client_other'], {
      folder,
      environment,
    });
    assert.equal(wins.code, exits.refused.code, 'an option wins over the environment');
  });

  it('shows with -v what was signed, and every header', async (context) => {
    const folder = folderWithKeys(context);
    const { origin, arrived } = await startSignedService(context, {
      publicKey: pair.publicKey,
      answer: (_request, response) => response.setHeader('X-Trace', 'abc').end('done'),
    });
    const argv = [
      'request',
      'POST',
      `${origin}/v1/p?q=1`,
      '-d',
      '{}',
      '-H',
      'X-Own:  7 ',
      ...credentials,
      '-v',
    ];
    const { out, errors } = await run(argv, { folder });
    assert.equal(out, 'done');
    const request = arrived[0]!;
    for (const [index, name] of request.rawHeaders.entries()) {
      if (index % 2 === 0) assert.ok(errors.includes(`> ${name}: ${request.rawHeaders[index + 1]}\n`), name);
    }
    assert.match(errors, new RegExp(`\n  "@method": POST<LF>\n  "@target-uri": ${origin}/v1/p\\?q=1<LF>\n`));
    assert.match(
      errors,
      /\n {2}"@signature-params": \(.*"rsa-v1_5-sha256"\n\n> POST \/v1\/p\?q=1 HTTP\/1\.1\n/,
    );
    assert.match(errors, /\n< HTTP\/1\.1 200 OK\n(?:< .*\n)*< X-Trace: abc\n/);
    assert.equal(headerOf(request, 'x-own'), '7');
    assert.ok(!errors.includes('PRIVATE'));
  });

  it('indents JSON for a person, with every digit, in colour unless NO_COLOR says no', async (context) => {
    const folder = folderWithKeys(context);
    const { origin } = await startSignedService(context, {
      publicKey: pair.publicKey,
      answer: (_request, response) => response.end('{"id":12345678901234567890,"rate":1.10}'),
    });
    const argv = ['request', 'GET', `${origin}/`, ...credentials];
    const coloured = await run(argv, { folder, terminal: true });
    assert.equal(coloured.out, '{\n  "id": 12345678901234567890,\n  "rate": 1.10\n}\n');
    assert.ok(coloured.errors.includes(escapeCode));
    for (const environment of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      const plain = await run(argv, { folder, terminal: true, environment });
      assert.ok(!(plain.errors + plain.out).includes(escapeCode));
    }
    const { out } = await run([...argv, '--json'], { folder });
    assert.match(out, /"id": 12345678901234567890,/);
  });

  it('does not pour bytes over a terminal', async (context) => {
    const folder = folderWithKeys(context);
    const bytes = Buffer.from([0, 1, 2, 255]);
    const { origin } = await startSignedService(context, {
      publicKey: pair.publicKey,
      answer: (_request, response) => response.end(bytes),
    });
    const argv = ['request', 'GET', `${origin}/`, ...credentials];
    assert.match((await run(argv, { folder, terminal: true })).out, /4 bytes that are not text/);
    assert.deepEqual((await run(argv, { folder })).outBytes, bytes);
    const json = JSON.parse((await run([...argv, '--json'], { folder })).out) as Record<string, unknown>;
    assert.equal(json['bodyBase64'], bytes.toString('base64'));
  });

  it('does not follow redirects', async (context) => {
    const folder = folderWithKeys(context);
    const { origin, arrived } = await startSignedService(context, {
      publicKey: pair.publicKey,
      answer: (_request, response) =>
        response.writeHead(302, { Location: 'http://elsewhere.example/' }).end(),
    });
    const { code, errors } = await run(['request', 'GET', `${origin}/`, ...credentials], { folder });
    assert.equal(code, exits.ok.code);
    assert.match(errors, /redirects are not followed.*http:\/\/elsewhere\.example\//);
    assert.equal(arrived.length, 1);
  });

  it('sends the nonce parameter when it is asked to', async (context) => {
    const folder = folderWithKeys(context);
    const { origin, arrived } = await startSignedService(context, { publicKey: pair.publicKey });
    const { errors } = await run(['request', 'GET', `${origin}/`, ...credentials, '--nonce'], { folder });
    assert.match(
      errors,
      /the parameter "nonce" is not allowed/,
      'the profile has it off, and this service too',
    );
    assert.match(headerOf(arrived[0]!, 'signature-input') ?? '', /;nonce="[0-9a-f-]{36}"$/);
  });

  it('signs HEAD', async (context) => {
    const folder = folderWithKeys(context);
    const { origin, arrived } = await startSignedService(context, { publicKey: pair.publicKey });
    const { code, out } = await run(['request', 'HEAD', `${origin}/`, ...credentials], { folder });
    assert.equal(code, exits.ok.code);
    assert.equal(out, '');
    assert.equal(arrived[0]?.method, 'HEAD');
  });
});
