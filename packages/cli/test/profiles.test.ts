import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request as requestHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import {
  defineProfile,
  keyThumbprint,
  MemoryMessageGuard,
  type MessageAlgorithm,
  type MessageProfile,
  messageProfiles,
  verifyingKey,
  verifyMessage,
} from '@countersign/signature/messages/node';
import { openVaultDouble, vaultToken } from '../../vault/test/vault-double.ts';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { exits } from '../src/exits.ts';
import { type Ended, run } from './run.ts';
import { startProxy } from './proxy-scene.ts';

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}
const ed25519 = generateKeyPairSync('ed25519');
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = (key: KeyObject): string =>
  key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' });
const requestProfiles = Object.values(messageProfiles).filter(
  ({ message, id }) => message === 'request' && id !== 'countersign',
);
const byName = (id: string): MessageProfile => requestProfiles.find((profile) => profile.id === id)!;

function folderWith(context: Pick<TestContext, 'after'>, pair: Pair = ed25519): string {
  const folder = temporaryFolder(context);
  writeFileSync(join(folder, 'private.pem'), pem(pair.privateKey), { mode: 0o600 });
  writeFileSync(join(folder, 'public.pem'), pem(pair.publicKey));
  return folder;
}

const key = ['--client-id', 'kid-1', '--key', 'private.pem'];
/** Headers that some profile covers. */
const covered = [
  '-H',
  'Authorization: Bearer 2YotnFZF',
  '-H',
  'Idempotency-Key: "7"',
  '-H',
  'Signature-Agent: sig="https://agent.example/keys.json"',
];

/** Returns the request that a signed one is on the wire. */
function wire(json: string, body = ''): string {
  const { method, url, headers } = JSON.parse(json) as {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  const { host, pathname, search } = new URL(url);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${pathname}${search} HTTP/1.1`, `Host: ${host}`, ...lines, '', body].join('\r\n');
}

describe('sign and verify by a profile', () => {
  for (const { id, algorithms } of requestProfiles)
    it(`sign what nobody can change: ${id}`, async (context) => {
      const folder = folderWith(context, algorithms.includes('ed25519') ? ed25519 : p256);
      const url = 'https://api.example.com/v1/payments?currency=EUR';
      const argv = ['sign', 'POST', url, '-d', '{"amount":1}', ...key, ...covered, '--json'];
      const signed = await run([...argv, '--message-profile', id], { folder });
      assert.equal(signed.code, exits.ok.code, signed.out);
      const verify = (input: string, ...more: string[]): Promise<Ended> =>
        run(['verify', '--message-profile', id, '--key', 'public.pem', ...more], { folder, input });
      const sent = wire(signed.out, '{"amount":1}');
      const { binds } = defineProfile(byName(id));
      const changes = [
        ['method', sent.replace('POST', 'PUT')],
        ['path', sent.replace('payments', 'refunds')],
        ['query', sent.replace('EUR', 'USD')],
        ['body', sent.replace('"amount":1', '"amount":2')],
      ] as const;
      for (const [part, changed] of changes) {
        const { code, out } = await verify(changed);
        assert.equal(code, binds.includes(part) ? exits.refused.code : exits.ok.code, `${part}: ${out}`);
      }
      const { code, out } = await verify(sent);
      assert.equal(code, exits.ok.code, out);
      assert.match(out, new RegExp(`profile +${id}\\n`));
      assert.equal(/would|leaves open/.test(out), binds.length < 5, out);
      assert.equal((await verify(sent, '--client-id', 'kid-2')).code, exits.refused.code);
    });

  it('say what the verifier needs to know, also as JSON', async (context) => {
    const folder = folderWith(context, rsa);
    const url = 'http://api.example.com/';
    const fapi = ['--message-profile', 'fapi-2-request-01'];
    const { out } = await run(['sign', 'GET', url, ...key, ...covered, ...fapi, '--json'], { folder });
    const verify = (...more: string[]): Promise<Ended> =>
      run(['verify', ...fapi, '--key', 'public.pem', ...more], { folder, input: wire(out) });
    const refused = await verify();
    assert.equal(refused.code, exits.refused.code);
    assert.match(
      refused.out,
      /^Refused: signature_invalid\n[^]*what to do +The signature is for http:.*--scheme http\./,
    );
    const late = await verify(
      '--scheme',
      'http',
      '--at',
      String(Math.floor(Date.now() / 1000) + 900),
      '--json',
    );
    assert.equal((JSON.parse(late.out) as { code: string }).code, 'created_expired');
    const valid = await verify('--scheme', 'http', '--json');
    const said = JSON.parse(valid.out) as Record<string, unknown>;
    assert.equal(valid.code, exits.ok.code);
    assert.deepEqual(said['covered'], ['"@method"', '"@target-uri"', '"authorization"']);
    assert.deepEqual(
      [
        said['profile'],
        said['keyid'],
        said['algorithm'],
        said['tag'],
        said['coversBody'],
        said['leavesOpen'],
      ],
      ['fapi-2-request-01', 'kid-1', 'PS256', 'fapi-2-request', false, []],
    );
    const malformed = await run(['verify', ...fapi, '--key', 'public.pem'], { folder, input: 'hello' });
    assert.match(malformed.out, /^Refused: request_malformed\n/);
  });

  it('need an algorithm where an RSA key has several', async (context) => {
    const folder = folderWith(context, rsa);
    const gnap = ['--message-profile', 'gnap-rfc9635'];
    const argv = ['sign', 'GET', 'https://as.example/', ...key, ...gnap, '--json'];
    const unsure = await run(argv, { folder });
    assert.equal(unsure.code, exits.local.code);
    assert.match(unsure.out, /rsa-v1_5-sha256 or rsa-pss-sha512 or PS256: set algorithm/);
    for (const algorithm of ['rsa-v1_5-sha256', 'rsa-pss-sha512', 'PS256'] satisfies MessageAlgorithm[]) {
      const { out } = await run([...argv, '--algorithm', algorithm], { folder });
      const verify = ['verify', ...gnap, '--key', 'public.pem'];
      assert.equal((await run(verify, { folder, input: wire(out) })).code, exits.usage.code);
      const checked = await run([...verify, '--algorithm', algorithm], { folder, input: wire(out) });
      assert.equal(checked.code, exits.ok.code, checked.out);
    }
    const other = await run([...argv, '--algorithm', 'ed25519'], { folder });
    assert.equal(other.code, exits.local.code);
  });

  it('never sign the same twice, in whichever run', async (context) => {
    const folder = folderWith(context);
    const nowMs = Date.now();
    const argv = ['sign', 'GET', 'https://h.example/', ...key, '--message-profile', 'curl-8.22'];
    const inputs = new Set<string>();
    for (let count = 0; count < 3; count++) inputs.add((await run(argv, { folder, nowMs: () => nowMs })).out);
    assert.equal(inputs.size, 3);
  });

  it('cover more, and the Date that the caller sets', async (context) => {
    const folder = folderWith(context);
    const argv = ['sign', 'POST', 'https://h.example/', '-d', '{}', ...key, '--message-profile', 'curl-8.22'];
    const more = [
      '--cover',
      'content-digest',
      '--cover',
      'date',
      '-H',
      'Date: Tue, 20 Apr 2021 02:07:55 GMT',
    ];
    const { out } = await run([...argv, ...more], { folder });
    assert.match(
      out,
      /^Content-Digest: sha-256=[^]*sig1=\("@method" "@authority" "@path" "content-digest" "date"\)/,
    );
    const agentOf = [
      '-H',
      'Signature-Agent: sig="https://x"',
      '--signature-agent',
      'https://agent.example/k.json',
    ];
    const twice = await run(['sign', 'GET', 'https://h.example/', '--key', 'private.pem', ...agentOf], {
      folder,
    });
    assert.match(twice.errors, /Leave out the header Signature-Agent\. --signature-agent sets it/);
  });
});

describe('sign by a profile, wrongly called', () => {
  const cases: readonly (readonly [argv: readonly string[], exit: keyof typeof exits, says: RegExp])[] = [
    [['--message-profile', 'fapi-2-request-01'], 'usage', /covers Authorization, which this request lacks/],
    [['--message-profile', 'ucp-request-2026-08'], 'usage', /covers Idempotency-Key/],
    [['--message-profile', 'fapi-2-request-02'], 'usage', /Did you mean fapi-2-request-01\?/],
    [['--message-profile', 'fapi-2-response-01'], 'usage', /is a profile for responses/],
    [['--message-profile', 'missing.json'], 'local', /The profile missing\.json does not exist/],
    [['--message-profile', 'text.json'], 'local', /text\.json: it must hold one JSON object/],
    [['--message-profile', 'bad.json'], 'local', /bad\.json: .*\n- .*"foo"[^]*- "title"[^]*- "replay"/],
    [['--message-profile', 'curl-8.22', '--nonce'], 'usage', /--nonce is for the service's own profile/],
    [
      ['--message-profile', 'curl-8.22', '--algorithm', 'PS256'],
      'usage',
      /curl-8\.22 is not signed with "PS256"/,
    ],
    [['--message-profile', 'curl-8.22', '--cover', 'Date'], 'usage', /alsoCover names no component/],
    [['--tag', 'gnap'], 'usage', /need --message-profile/],
    [
      ['--message-profile', 'curl-8.22', '--signature-agent', 'https://a.example/'],
      'usage',
      /leave out --message-profile/,
    ],
    [['--signature-agent', 'https://a.example/'], 'usage', /leave out --client-id/],
  ];
  for (const [argv, exit, says] of cases)
    it(`says so: ${argv.join(' ')}`, async (context) => {
      const folder = folderWith(context);
      writeFileSync(join(folder, 'text.json'), 'text');
      writeFileSync(join(folder, 'bad.json'), '{"id":"x","foo":1}');
      const { code, errors, out } = await run(['sign', 'POST', 'https://h.example/', ...key, ...argv], {
        folder,
      });
      assert.match(errors, says);
      assert.equal(code, exits[exit].code);
      assert.equal(out, '');
    });

  it('refuses the URL of an agent that nobody could fetch', async (context) => {
    const folder = folderWith(context);
    const argv = [
      'sign',
      'GET',
      'https://h.example/',
      '--key',
      'private.pem',
      '--signature-agent',
      'ftp://a/',
    ];
    assert.equal((await run(argv, { folder })).code, exits.usage.code);
  });
});

describe('verify by a profile, wrongly called', () => {
  const cases: readonly (readonly [argv: readonly string[], exit: keyof typeof exits, says: RegExp])[] = [
    [['--message-profile', 'gnap-rfc9635', '--accept-without-date'], 'usage', /--accept-without-date is for/],
    [['--algorithm', 'ed25519'], 'usage', /--algorithm needs --message-profile/],
    [['--message-profile', 'curl-8.22', '--algorithm', 'PS256'], 'usage', /is not signed with "PS256"/],
    [['--message-profile', 'curl-8.22', '--key', 'none.pem'], 'local', /does not exist/],
    [['--message-profile', 'curl-8.22', '--key', 'private.pem'], 'local', /private\.pem: .*private key/],
  ];
  for (const [argv, exit, says] of cases)
    it(`says so: ${argv.join(' ')}`, async (context) => {
      const folder = folderWith(context);
      const keyed = argv.includes('--key') ? argv : [...argv, '--key', 'public.pem'];
      const { code, errors } = await run(['verify', ...keyed], { folder, input: 'GET / HTTP/1.1\r\n\r\n' });
      assert.match(errors, says);
      assert.ok(!errors.includes('MC4C'), 'no part of a private key');
      assert.equal(code, exits[exit].code);
    });
});

/** A receiver that verifies by a profile, and answers with the outcome. */
async function startReceiver(
  context: Pick<TestContext, 'after'>,
  profile: MessageProfile,
  publicKey: KeyObject,
): Promise<{ readonly origin: string; readonly keyids: (string | undefined)[] }> {
  const defined = defineProfile(profile);
  const guard = new MemoryMessageGuard();
  const keyids: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = Buffer.from(await text(request));
      const { method = '', url = '', rawHeaders } = request;
      const result = await verifyMessage(
        { method, targetUri: origin + url, headers: rawHeaders, body },
        { profile: defined, keysFor: () => verifyingKey(publicKey), guard },
      );
      keyids.push(result.ok ? result.keyid : undefined);
      response.writeHead(result.ok ? 200 : 401).end(result.ok ? 'accepted' : result.code);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, keyids };
}

describe('a key store', () => {
  it('signs by a profile that has its algorithm, and says so of another one', async (context) => {
    const vault = await openVaultDouble();
    context.after(() => vault.close());
    const folder = temporaryFolder(context);
    const { publicKey } = vault.versions[0]!;
    writeFileSync(join(folder, 'public.pem'), publicKey);
    writeFileSync(join(folder, 'token'), vaultToken);
    writeFileSync(join(folder, 'key-name'), 'shop:1');
    const store = { store: 'vault', address: vault.address, tokenFile: 'token' };
    writeFileSync(join(folder, 'store.json'), JSON.stringify(store));
    const stored = ['--client-id', 'kid-1', '--key', 'key-name', '--key-store', 'store.json'];
    const sign = (profile: string): Promise<Ended> =>
      run(
        ['sign', 'GET', 'https://h.example/', ...stored, ...covered, '--message-profile', profile, '--json'],
        {
          folder,
        },
      );
    const unable = await sign('fapi-2-request-01');
    assert.equal(unable.code, exits.local.code);
    assert.match(unable.out, /this key is for rsa-v1_5-sha256/);
    const { out } = await sign('mastodon-4.5');
    const verify = ['verify', '--message-profile', 'mastodon-4.5', '--key', 'public.pem'];
    const checked = await run(verify, { folder, input: wire(out) });
    assert.equal(checked.code, exits.ok.code, checked.out);
  });
});

describe('request by a profile', () => {
  it('is accepted by whoever verifies it', async (context) => {
    const folder = folderWith(context);
    const { origin, keyids } = await startReceiver(
      context,
      messageProfiles.ucpRequest2026,
      ed25519.publicKey,
    );
    const argv = ['request', 'POST', `${origin}/checkout?a=1`, 'amount:=1', ...key];
    const { code, out, errors } = await run(
      [...argv, '--message-profile', 'ucp-request-2026-08', '-H', 'Idempotency-Key: "1"', '-v'],
      { folder },
    );
    assert.equal(out, 'accepted', errors);
    assert.equal(code, exits.ok.code);
    assert.deepEqual(keyids, ['kid-1']);
  });

  it('may be by a profile in a file', async (context) => {
    const folder = folderWith(context);
    const printed = await run(['profiles', 'curl-8.22', '--json'], { folder });
    const own = { ...(JSON.parse(printed.out) as MessageProfile), id: 'own-1', select: { label: 'own' } };
    writeFileSync(join(folder, 'own.json'), JSON.stringify(own));
    const { origin } = await startReceiver(context, own, ed25519.publicKey);
    const argv = ['request', 'GET', `${origin}/`, ...key, '--message-profile', 'own.json'];
    assert.equal((await run(argv, { folder })).out, 'accepted');
  });

  it('is an agent whose keyid is the thumbprint of its key', async (context) => {
    const folder = folderWith(context, p256);
    const { origin, keyids } = await startReceiver(context, messageProfiles.webBotAuth01, p256.publicKey);
    const argv = ['request', 'GET', `${origin}/`, '--key', 'private.pem'];
    const { out } = await run([...argv, '--signature-agent', 'https://agent.example/keys.json'], { folder });
    assert.equal(out, 'accepted');
    assert.deepEqual(keyids, [await keyThumbprint(p256.publicKey)]);
  });
});

describe('proxy by a profile', () => {
  const send = async (
    address: string,
    headers: Readonly<Record<string, string>>,
    body = '',
  ): Promise<readonly [number | undefined, string]> => {
    const sent = requestHttp(`${address}/v1/orders?id=7`, { method: body === '' ? 'GET' : 'POST', headers });
    sent.end(body);
    const [response] = (await new Promise((resolve) => sent.on('response', (one) => resolve([one])))) as [
      IncomingMessage,
    ];
    return [response.statusCode, await text(response)];
  };

  it('covers the headers of each caller, and says which is missing', async (context) => {
    const { origin, keyids } = await startReceiver(
      context,
      messageProfiles.fapi2Request01,
      ed25519.publicKey,
    );
    const proxy = await startProxy(context, {
      target: origin,
      clientId: 'kid-1',
      privateKey: pem(ed25519.privateKey),
      argv: ['--message-profile', 'fapi-2-request-01', '--quiet'],
    });
    const [status, problem] = await send(proxy.address, {});
    assert.equal(status, 400);
    assert.match(problem, /covers Authorization/);
    const headers = {
      Authorization: 'Bearer x',
      Signature: 'old=:AA==:',
      'Content-Type': 'application/json',
    };
    assert.deepEqual(await send(proxy.address, headers), [200, 'accepted']);
    assert.deepEqual(await send(proxy.address, headers, '{"a":1}'), [200, 'accepted']);
    assert.deepEqual(keyids, ['kid-1', 'kid-1']);
    assert.match(proxy.notes(), /Signing as kid-1 \(SHA256:/);
  });

  it('learns no time from its target', async (context) => {
    const createds: number[] = [];
    const hostile = createServer((request, response) => {
      createds.push(Number(/;created=(\d+)/.exec(String(request.headers['signature-input']))?.[1]));
      const type = 'https://evil.example/docs/errors#created_expired';
      const serverTime = new Date(Date.now() + 80_000_000).toISOString();
      response.writeHead(401, { 'Content-Type': 'application/problem+json' });
      response.end(JSON.stringify({ type, code: 'created_expired', status: 401, serverTime }));
    });
    await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve));
    context.after(() => {
      hostile.closeAllConnections();
      hostile.close();
    });
    const proxy = await startProxy(context, {
      target: `http://127.0.0.1:${(hostile.address() as AddressInfo).port}`,
      privateKey: pem(ed25519.privateKey),
      argv: ['--message-profile', 'gnap-rfc9635', '--quiet'],
    });
    for (let count = 0; count < 2; count++) assert.equal((await send(proxy.address, {}))[0], 401);
    assert.equal(createds.length, 2);
    assert.ok(createds[1]! - createds[0]! < 3600);
  });

  it('gives equal requests seconds of their own', async (context) => {
    const { origin } = await startReceiver(context, messageProfiles.curl822, ed25519.publicKey);
    const proxy = await startProxy(context, {
      target: origin,
      clientId: 'kid-1',
      privateKey: pem(ed25519.privateKey),
      argv: ['--message-profile', 'curl-8.22', '--quiet'],
    });
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => send(proxy.address, {})));
    assert.deepEqual(
      outcomes,
      Array.from({ length: 5 }, () => [200, 'accepted']),
    );
  });
});

describe('countersign profiles', () => {
  it('lists what each binds and who signs by it', async (context) => {
    const folder = temporaryFolder(context);
    const { out, code } = await run(['profiles'], { folder });
    assert.equal(code, exits.ok.code);
    for (const { id } of Object.values(messageProfiles)) assert.ok(out.includes(`${id}  (`), id);
    assert.match(
      out,
      /curl-8\.22 {2}\(requests\)\n[^]*Binds: method, authority, path, query; leaves open: body\./,
    );
    const json = JSON.parse((await run(['profiles', '--json'], { folder })).out) as {
      readonly profiles: readonly { readonly id: string; readonly leavesOpen: readonly string[] }[];
    };
    assert.equal(json.profiles.length, Object.keys(messageProfiles).length);
  });

  it('prints the page of one, or its data, which is a file for --message-profile', async (context) => {
    const folder = temporaryFolder(context);
    const page = await run(['profiles', 'gnap-rfc9635'], { folder });
    assert.match(page.out, /^## gnap-rfc9635\n[^]*\| Covers \| `"@method"`/);
    const data = await run(['profiles', 'gnap-rfc9635', '--json'], { folder });
    assert.deepEqual(JSON.parse(data.out), messageProfiles.gnap);
    writeFileSync(join(folder, 'own.json'), data.out);
    assert.equal((await run(['profiles', './own.json'], { folder })).out, page.out);
    assert.ok(readFileSync(join(folder, 'own.json'), 'utf8').length > 0);
    const unknown = await run(['profiles', 'gnap-rfc9636'], { folder });
    assert.equal(unknown.code, exits.usage.code);
    assert.match(unknown.errors, /Did you mean gnap-rfc9635\?/);
  });
});
