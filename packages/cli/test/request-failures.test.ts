import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { exits } from '../src/exits.ts';
import { folderWithKeys, otherPair, pair } from './key-files.ts';
import { type Ended, run } from './run.ts';
import { startSignedService } from './signed-service.ts';

const credentials = ['--client-id', 'client_test', '--key', 'private.pem'];
const nowhere = 'http://127.0.0.1:9/';
const escapeCode = '\u001b';

describe('request: what cannot be signed', () => {
  const cases: readonly {
    readonly argv: readonly string[];
    readonly says: RegExp;
    readonly code?: number;
  }[] = [
    { argv: ['G T', nowhere], says: /"G T" is not a method/ },
    { argv: ['GET\r\nX: y', nowhere], says: /is not a method/ },
    { argv: ['CONNECT', nowhere], says: /CONNECT opens a tunnel/ },
    { argv: [nowhere, 'GET'], says: /The method comes first: countersign request GET http/ },
    { argv: ['GET', 'ftp://example.com/'], says: /is not an http or https URL/ },
    { argv: ['GET', 'example.com/v1'], says: /is not an http or https URL/ },
    { argv: ['GET', 'http://'], says: /is not an http or https URL/ },
    { argv: ['GET', 'http://exa mple/'], says: /is not an http or https URL/ },
    { argv: ['GET', 'http://h:99999/'], says: /is not an http or https URL/ },
    { argv: ['GET', '/v1/whoami'], says: /only a path.*COUNTERSIGN_BASE_URL/ },
    { argv: ['GET', `http://127.0.0.1:9/${'a'.repeat(9000)}`], says: /target URI is too long/ },
    { argv: ['GET', nowhere, '-H', 'no colon'], says: /does not have the form 'Name: value'/ },
    { argv: ['GET', nowhere, '-H', 'Bad Name: x'], says: /does not have the form/ },
    { argv: ['GET', nowhere, '-H', 'X-A: b\r\nX-Evil: c'], says: /header X-A has line ends/ },
    { argv: ['GET', nowhere, '-H', 'X-A: b\nX-Evil: c'], says: /header X-A has line ends/ },
    { argv: ['GET', nowhere, '-H', 'X-A: b\0c'], says: /header X-A has line ends/ },
    { argv: ['GET', nowhere, '-H', 'X-A: ü'], says: /not visible ASCII/ },
    { argv: ['GET', nowhere, '-H', 'X-A\r\n: b'], says: /does not have the form/ },
    {
      argv: ['GET', nowhere, '-H', 'hOST: evil.example'],
      says: /Leave out the header hOST\. It is made from the URL/,
    },
    { argv: ['GET', nowhere, '-H', 'Signature: sig=:AA==:'], says: /Leave out the header Signature/ },
    { argv: ['GET', nowhere, '-H', 'Date: now'], says: /Leave out the header Date/ },
    { argv: ['GET', nowhere, '-H', 'Content-Length: 5'], says: /Leave out the header Content-Length/ },
    {
      argv: ['GET', nowhere, '-H', 'Transfer-Encoding: chunked'],
      says: /Leave out the header Transfer-Encoding/,
    },
    { argv: ['POST', nowhere, '-d', '@'], says: /-d @ needs a file/ },
    { argv: ['GET', nowhere, '--timeout', '0'], says: /--timeout must be/ },
    { argv: ['GET', nowhere, '--timeout', '1e9'], says: /--timeout must be/ },
    {
      argv: ['POST', nowhere, '-d', '@missing.json'],
      says: /body file missing\.json does not exist/,
      code: exits.local.code,
    },
    { argv: ['POST', nowhere, '-d', '@.'], says: /is a folder/, code: exits.local.code },
  ];
  for (const { argv, says, code: expected = exits.usage.code } of cases) {
    const title = JSON.stringify(argv).slice(0, 90);
    it(title, async (context) => {
      const { code, out, errors } = await run(['request', ...argv, ...credentials], {
        folder: folderWithKeys(context),
      });
      assert.match(errors, says);
      assert.equal(code, expected);
      assert.equal(out, '');
    });
  }

  it('a password in the URL is not repeated', async (context) => {
    const folder = folderWithKeys(context);
    for (const url of ['http://user:hunter2@127.0.0.1:9/', 'http://user:hunter2@exa mple/']) {
      const { code, errors } = await run(['request', 'GET', url, ...credentials], { folder });
      assert.equal(code, exits.usage.code);
      assert.ok(!errors.includes('hunter2'), errors);
    }
  });
});

describe('request: who signs', () => {
  const requestWith = (argv: readonly string[], folder: string, environment = {}): Promise<Ended> =>
    run(['request', 'GET', nowhere, ...argv], { folder, environment });

  it('must be said', async (context) => {
    const folder = folderWithKeys(context);
    const none = await requestWith([], folder);
    assert.equal(none.code, exits.usage.code);
    assert.match(none.errors, /No Client ID: set --client-id.*COUNTERSIGN_CLIENT_ID/);
    const half = await requestWith(['--client-id', 'client_test'], folder);
    assert.equal(half.code, exits.usage.code);
    assert.match(half.errors, /No private key: set --key FILE/);
  });

  it('must have a clientId that can stand in a signature', async (context) => {
    const folder = folderWithKeys(context);
    const { code, errors } = await requestWith(['--client-id', 'a b', '--key', 'private.pem'], folder);
    assert.equal(code, exits.usage.code);
    assert.match(errors, /The Client ID, which becomes the keyid, is missing or invalid/);
  });

  it('needs a private key that can be used', async (context) => {
    const folder = folderWithKeys(context);
    writeFileSync(join(folder, 'nonsense.pem'), 'SECRET-NONSENSE');
    writeFileSync(join(folder, 'cut.pem'), pair.privateKey.slice(0, 900));
    writeFileSync(join(folder, 'empty.pem'), '');
    const cases: readonly (readonly [string, RegExp])[] = [
      ['missing.pem', /private key .*missing\.pem does not exist/],
      ['.', /is a folder/],
      ['empty.pem', /no key in the text/],
      ['nonsense.pem', /not a key in a supported format/],
      ['cut.pem', /damaged|PEM/],
      ['public.pem', /This is a public key, which cannot sign/],
    ];
    for (const [file, says] of cases) {
      const { code, errors } = await requestWith(['--client-id', 'client_test', '--key', file], folder);
      assert.equal(code, exits.local.code, file);
      assert.match(errors, says);
      assert.ok(!/SECRET|MII/.test(errors), 'nothing of the file is repeated');
    }
  });

  it('needs the passphrase of an encrypted key', async (context) => {
    const folder = temporaryFolder(context);
    const environment = { COUNTERSIGN_PASSPHRASE: 'open sesame' };
    await run(['keygen', '--bits', '2048'], { folder, environment });
    const without = await requestWith(credentials, folder);
    assert.equal(without.code, exits.local.code);
    assert.match(without.errors, /encrypted.*--passphrase-file FILE/);
    writeFileSync(join(folder, 'wrong.txt'), 'open barley');
    const wrong = await requestWith([...credentials, '--passphrase-file', 'wrong.txt'], folder, environment);
    assert.equal(wrong.code, exits.local.code);
    assert.match(wrong.errors, /passphrase is wrong.*--passphrase-file FILE/);
    assert.ok(!/barley|sesame/.test(wrong.errors));
    const right = await requestWith(credentials, folder, environment);
    assert.equal(right.code, exits.unreachable.code, 'the key was opened, and the request sent');
  });

  it('needs a credentials file of the right form, and never repeats one', async (context) => {
    const folder = folderWithKeys(context);
    const contents = [
      '{"clientId":"SECRET',
      '[]',
      'null',
      '{"clientId":1}',
      '{"clientId":"SECRET","privateKeyFile":"private.pem","baseUrl":7}',
    ];
    for (const content of contents) {
      writeFileSync(join(folder, 'credentials.json'), content);
      const { code, errors } = await requestWith(['--credentials', 'credentials.json'], folder);
      assert.equal(code, exits.local.code, content);
      assert.match(errors, /must hold one JSON object/);
      assert.ok(!errors.includes('SECRET'));
    }
    const badBase = { clientId: 'client_test', privateKeyFile: 'private.pem', baseUrl: 'http://h/?x' };
    writeFileSync(join(folder, 'credentials.json'), JSON.stringify(badBase));
    const { code, errors } = await requestWith(['--credentials', 'credentials.json'], folder);
    assert.equal(code, exits.local.code);
    assert.match(errors, /baseUrl in credentials\.json must be an http or https URL/);
  });

  it(
    'is warned when others can read the private key',
    { skip: process.platform === 'win32' && 'no modes here' },
    async (context) => {
      const folder = folderWithKeys(context);
      chmodSync(join(folder, 'private.pem'), 0o644);
      assert.match(
        (await requestWith(credentials, folder)).errors,
        /other users can read .*private\.pem: chmod 600/,
      );
    },
  );
});

describe('request: no answer', () => {
  it('says that nothing listens there', async (context) => {
    const folder = folderWithKeys(context);
    const { code, out, errors } = await run(['request', 'GET', nowhere, ...credentials], { folder });
    assert.equal(code, exits.unreachable.code);
    assert.match(errors, /Nothing listens at 127\.0\.0\.1:9\. Start the service/);
    assert.equal(out, '');
  });

  it('says so in JSON', async (context) => {
    const folder = folderWithKeys(context);
    const { code, out } = await run(['request', 'GET', nowhere, ...credentials, '--json'], { folder });
    assert.equal(code, exits.unreachable.code);
    assert.equal((JSON.parse(out) as { code: string }).code, 'service_unreachable');
  });

  const talks: readonly {
    readonly what: string;
    readonly talk: (socket: Socket) => void;
    readonly says: RegExp;
  }[] = [
    { what: 'silence', talk: () => undefined, says: /did not answer completely within 0\.3 s/ },
    {
      what: 'an answer that stops half-way',
      talk: (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'),
      says: /did not answer completely/,
    },
    {
      what: 'a hang-up',
      talk: (socket) => socket.destroy(),
      says: /ended the connection before the answer was complete/,
    },
    {
      what: 'a hang-up in the middle of the answer',
      talk: (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'),
      says: /ended the connection before the answer was complete/,
    },
    {
      what: 'another protocol',
      talk: (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
      says: /something that is not HTTP/,
    },
    {
      what: 'an upgrade',
      talk: (socket) =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
      says: /another protocol/,
    },
  ];
  for (const { what, talk, says } of talks) {
    it(`after ${what}`, async (context) => {
      const folder = folderWithKeys(context);
      const origin = await startTalk(context, talk);
      const argv = ['request', 'GET', `${origin}/`, ...credentials, '--timeout', '0.3'];
      const { code, out, errors } = await run(argv, { folder });
      assert.equal(code, exits.unreachable.code);
      assert.match(errors, says);
      assert.equal(out, '');
    });
  }

  it('when TLS is expected of a service without it', async (context) => {
    const folder = folderWithKeys(context);
    const { origin } = await startSignedService(context, { publicKey: pair.publicKey });
    const url = origin.replace('http:', 'https:');
    const { code, errors } = await run(['request', 'GET', url, ...credentials, '--timeout', '5'], { folder });
    assert.equal(code, exits.unreachable.code);
    assert.match(errors, /does not speak TLS there.*http:\/\//);
  });
});

describe('request: a refusal', () => {
  it('of a wrong key tells the fingerprint to compare', async (context) => {
    const folder = folderWithKeys(context);
    const { origin } = await startSignedService(context, { publicKey: otherPair.publicKey });
    const { code, out, errors } = await run(['request', 'GET', `${origin}/`, ...credentials], { folder });
    assert.equal(code, exits.refused.code);
    assert.match(errors, /^401 Unauthorized/);
    assert.match(errors, /signature_invalid: The signature is not valid/);
    assert.match(errors, /keyid +client_test\n/);
    assert.match(errors, /your key +SHA256:[A-Za-z0-9+/]{43}; compare/);
    assert.match(errors, /what to do +Check that keyid is your clientId/);
    assert.equal(
      (JSON.parse(out) as { code: string }).code,
      'signature_invalid',
      'the body is there for a program',
    );
  });

  it('of the time tells both clocks', async (context) => {
    const folder = folderWithKeys(context);
    const { origin } = await startSignedService(context, { publicKey: pair.publicKey, aheadSeconds: 4000 });
    const { code, out, errors } = await run(['request', 'GET', `${origin}/`, ...credentials], {
      folder,
      terminal: true,
    });
    assert.equal(code, exits.refused.code);
    assert.match(errors, /created_expired/);
    assert.match(errors, /reason +created is \d+ s old/);
    assert.match(errors, /service time +\d{4}-\d\d-\d\dT/);
    assert.match(errors, /your clock +(?:3999|4000|4001) s behind it/);
    assert.equal(out, '', 'a person reads the explanation, not the JSON of it');
  });

  it('in JSON has all that the service said', async (context) => {
    const folder = folderWithKeys(context);
    const { origin } = await startSignedService(context, { publicKey: otherPair.publicKey });
    const { code, out, errors } = await run(
      ['request', 'GET', `${origin}/`, ...credentials, '--json', '-v'],
      { folder },
    );
    assert.equal(code, exits.refused.code);
    const { ok, status, body, request } = JSON.parse(out) as Record<string, Record<string, unknown> & string>;
    assert.equal(ok, false);
    assert.equal(status, 401);
    assert.equal(body?.['code'], 'signature_invalid');
    assert.match(String(request?.['signatureBase']), /^"@method": GET\n/);
    assert.equal(errors, '');
  });

  it('of a hostile service cannot move the cursor', async (context) => {
    const folder = folderWithKeys(context);
    const evil = `${escapeCode}[2J\u009b31m\u202e`;
    const { origin } = await startSignedService(context, {
      publicKey: pair.publicKey,
      answer: ({ target }, response) => {
        const isProblem = target === '/problem';
        response.writeHead(
          isProblem ? 400 : 200,
          isProblem ? { 'Content-Type': 'application/problem+json' } : {},
        );
        response.end(
          isProblem
            ? JSON.stringify({ code: evil, title: evil, detail: evil, errors: [{ pointer: evil }] })
            : evil,
        );
      },
    });
    const environment = { NO_COLOR: '1' };
    for (const path of ['/problem', '/text']) {
      const argv = ['request', 'GET', origin + path, ...credentials];
      const { out, errors } = await run(argv, { folder, terminal: true, environment });
      assert.ok(!/[\u001b\u009b\u202e]/.test(out + errors), path);
      assert.match(out + errors, /\\u001b\[2J\\u009b31m\\u202e/);
    }
  });
});

describe('request: a refusal before the body was read', () => {
  it('is shown, however much was still to be sent', async (context) => {
    const folder = folderWithKeys(context);
    const origin = await startTalk(context, (socket) => {
      socket.write('HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno');
      setTimeout(() => socket.resume(), 100);
      socket.pause();
    });
    const input = Buffer.alloc(8_000_000, 'a');
    const argv = ['request', 'POST', `${origin}/`, '-d', '@-', ...credentials, '--timeout', '5'];
    const { code, out, errors } = await run(argv, { folder, input });
    assert.equal(out, 'no', errors);
    assert.equal(code, exits.refused.code);
  });
});

async function startTalk(context: TestContext, talk: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('data', () => talk(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('request: the demo client', () => {
  it('is used only when nothing else is given', async (context) => {
    const folder = folderWithKeys(context);
    const { origin, arrived } = await startSignedService(context, { publicKey: pair.publicKey });
    mkdirSync(join(folder, 'data', 'demo'), { recursive: true });
    writeFileSync(join(folder, 'data', 'demo', 'private.pem'), readFileSync(join(folder, 'private.pem')), {
      mode: 0o600,
    });
    writeFileSync(
      join(folder, 'data', 'demo', 'credentials.json'),
      JSON.stringify({ clientId: 'client_test', privateKeyFile: 'private.pem', baseUrl: `${origin}/` }),
    );
    const other = await run(['request', 'GET', '/v1/whoami', '--client-id', 'client_other'], { folder });
    assert.equal(other.code, exits.usage.code);
    assert.ok(!other.errors.includes('demo'));

    const { code, errors } = await run(['request', 'GET', '/v1/whoami'], { folder });
    assert.equal(code, exits.ok.code);
    assert.match(errors, /note: signing as the demo client client_test \(data.demo.credentials\.json\)\n/);
    assert.equal(arrived[0]?.target, '/v1/whoami');

    const elsewhere = temporaryFolder(context);
    const environment = { COUNTERSIGN_DATA_FOLDER: join(folder, 'data') };
    assert.equal(
      (await run(['request', 'GET', '//evil.example/x'], { folder: elsewhere, environment })).code,
      exits.ok.code,
    );
    assert.equal(arrived[1]?.target, '//evil.example/x', 'a path cannot change the host');
  });
});
