import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { problemOfUpstreamAddress, upstreamDefaults } from '@countersign/gate';
import { Upstream } from '@countersign/gate/upstream';
import { apiBaseUrl } from '@countersign/testing/running-service';
import { honest, type HostileUpstream, openHostileUpstream } from './hostile-upstream.ts';
import { openRawGateway, type RawGateway, wholeText } from './raw-gateway.ts';
import { readWholeAnswer, type WholeAnswer } from './whole-answer.ts';

let upstream: HostileUpstream;
/** Everything in a request points here, and nothing must come. */
let trap: HostileUpstream;
let gateway: RawGateway;
let count = 0;

const closers: (() => unknown)[] = [];
before(async () => {
  const t = { after: (close: () => unknown) => void closers.push(close) };
  upstream = await openHostileUpstream(t);
  trap = await openHostileUpstream(t);
  gateway = await openRawGateway(t, {
    upstreams: { api: { addresses: upstream.address } },
    routes: [{ path: '/**', upstream: 'api' }],
  });
});
after(async () => {
  for (const close of closers.toReversed()) await close();
});
beforeEach(() => {
  upstream.forget();
  upstream.behave(honest);
});

/** Sends a signed request after changing its text. */
async function sendChanged(target: string, change: (text: string) => string): Promise<WholeAnswer> {
  const socket = await gateway.open();
  const whole = wholeText(socket);
  socket.write(change(gateway.text('GET', target, { lines: ['Connection: close'] })));
  return readWholeAnswer((await whole).received);
}

const trapHost = (): string => new URL(trap.address).host;

describe('a request does not choose where it goes', () => {
  test('a target that looks like an authority is a path, or is refused', async () => {
    for (const target of [
      `//${trapHost()}/`,
      `/${trap.address}/`,
      `/@${trapHost()}/`,
      `/..//${trapHost()}`,
      `/\\${trapHost()}/`,
      `/%2f%2f${trapHost()}/`,
      `/?url=${trap.address}/`,
      `/a@${trapHost()}:80/${++count}`,
    ]) {
      upstream.forget();
      const answer = await gateway.ask('GET', target);
      if (answer.status === 200)
        assert.deepEqual(
          upstream.requests.map((one) => one.target),
          [target],
        );
      else assert.deepEqual([answer.code, upstream.requests], ['path_ambiguous', []]);
    }
    assert.equal(trap.connectionCount, 0);
  });

  test('an absolute-form target of ours arrives in origin-form, another one is refused', async () => {
    const target = `/absolute/${++count}`;
    const ours = await sendChanged(target, (text) => text.replace(` ${target} `, ` ${apiBaseUrl}${target} `));
    assert.equal(ours.status, 200);
    assert.deepEqual(
      upstream.requests.map((one) => one.target),
      [target],
    );
    upstream.forget();
    for (const url of [
      trap.address,
      apiBaseUrl.replace('https', 'http'),
      `https://shop.example.test@${trapHost()}`,
      `https://${trapHost()}#@shop.example.test`,
      'https://shop.example.test.evil.example',
      'https://shop.example.test:443@evil.example',
      'ftp://shop.example.test',
    ]) {
      const answer = await sendChanged(`/absolute/${++count}`, (text) => text.replace(' /', ` ${url}/`));
      assert.equal(
        answer.code === 'request_malformed' || answer.status === 400,
        true,
        `${url}: ${answer.status}`,
      );
    }
    assert.deepEqual([upstream.requests, trap.connectionCount], [[], 0]);
  });

  test('CONNECT and an authority as target open nothing', async () => {
    for (const change of [
      (text: string) => text.replace(/^GET \S+/, `CONNECT ${trapHost()}`),
      (text: string) => text.replace(/^GET \S+/, `GET ${trapHost()}`),
      (text: string) => text.replace(/^GET \S+/, 'OPTIONS *'),
    ])
      assert.notEqual((await sendChanged(`/${++count}`, change)).status, 200);
    assert.deepEqual([upstream.requests, trap.connectionCount], [[], 0]);
  });

  test('Host, in every form but ours, is refused', async () => {
    for (const host of [
      trapHost(),
      `shop.example.test@${trapHost()}`,
      `shop.example.test, ${trapHost()}`,
      `shop.example.test#@${trapHost()}`,
      'shop.example.test:80',
      'shop.example.test.',
      'shop.example.test\u00a0',
      '',
    ]) {
      const answer = await sendChanged(`/${++count}`, (text) => text.replace('shop.example.test', host));
      assert.equal(answer.status, 400, host);
    }
    const twice = await sendChanged(`/${++count}`, (text) =>
      text.replace('Host:', `Host: ${trapHost()}\r\nHost:`),
    );
    assert.equal(twice.status, 400);
    assert.deepEqual([upstream.requests, trap.connectionCount], [[], 0]);
  });

  test('no field leads elsewhere', async () => {
    const names =
      'X-Forwarded-Host X-Host X-Backend-Host X-Forwarded-Server X-Http-Host-Override Forwarded Referer Origin';
    const lines = names.split(' ').map((name) => `${name}: ${trap.address}`);
    const answer = await gateway.ask('GET', `/${++count}`, { lines });
    assert.deepEqual([answer.status, trap.connectionCount], [200, 0]);
    assert.deepEqual(upstream.requests[0]!.values('host'), ['shop.example.test']);
  });

  for (const status of [301, 302, 303, 307, 308, 300, 305])
    test(`a ${status} of the upstream is passed on and not followed`, async () => {
      const location = `${trap.address}/`;
      upstream.behave({
        answer: (socket) =>
          void socket.write(
            `HTTP/1.1 ${status} Go\r\nLocation: ${location}\r\nRefresh: 0;url=${location}\r\n` +
              `Alt-Svc: h2="${trapHost()}"\r\nContent-Length: 0\r\n\r\n`,
          ),
      });
      const answer = await gateway.ask('GET', `/${++count}`);
      assert.deepEqual([answer.status, answer.headers['location']], [status, location]);
      upstream.behave(honest);
      assert.equal((await gateway.ask('GET', `/${++count}`)).status, 200);
      assert.deepEqual([upstream.requests.length, trap.connectionCount], [2, 0]);
    });
});

describe('a name does not lead to', () => {
  /** Sends a request to an upstream whose name has these addresses, and returns why it failed, or its status. */
  async function reach(hostname: string, addresses: readonly string[], port = 1): Promise<string> {
    const settings = { ...upstreamDefaults, name: 'api', addresses: [`http://${hostname}:${port}`] };
    const api = new Upstream(
      settings,
      () => 0,
      (_name, _options, callback) => {
        callback(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        );
      },
    );
    const request = {
      method: 'POST',
      target: '/',
      headersFor: () => ['Host', 'a'],
      body: Buffer.from('x'),
      firstByteSeconds: undefined,
      idleSeconds: undefined,
      upgrade: undefined,
    };
    const client = { onGone: () => undefined, hint: () => undefined, canSwitch: false };
    try {
      const relay = await api.send(request, client);
      relay.abandon();
      return String(relay.head.status);
    } catch (error) {
      return (error as Error).message;
    } finally {
      await api.close();
    }
  }

  for (const address of [
    ...'127.0.0.1 127.255.255.254 ::1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::127.0.0.1 64:ff9b::127.0.0.1'.split(
      ' ',
    ),
    ...'64:ff9b::7f00:1 2002:7f00:1:: 2002:7fff:ffff::1'.split(' '),
  ])
    test(`this machine, ${address}`, async () => {
      assert.match(
        await reach('api.internal', [address], Number(new URL(trap.address).port)),
        /resolves to this machine/,
      );
      assert.equal(trap.connectionCount, 0);
    });

  for (const address of [
    ...'169.254.169.254 169.254.170.2 ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe::1'.split(' '),
    ...'fe80::1 fe80::1%1 fd00:ec2::254 fd20:ce::254 100.100.100.200 168.63.129.16 192.0.0.192'.split(' '),
    ...'0.0.0.0 0.1.2.3 :: ::ffff:0.0.0.0 224.0.0.1 255.255.255.255 ff02::1 240.0.0.1'.split(' '),
    '',
    'localhost',
    '1.2.3',
    '0x7f000001',
    '127.0.0.1 ',
  ])
    test(`where no upstream can be, ${JSON.stringify(address)}`, async () => {
      assert.match(
        await reach('api.internal', [address]),
        /which cannot be an upstream|resolves to this machine/,
      );
    });

  test('one bad address among good ones', async () => {
    assert.match(await reach('api.internal', ['10.0.0.1', '169.254.169.254']), /which cannot be an upstream/);
  });

  test('nothing, and still be reached', async () => {
    assert.match(await reach('api.internal', []), /has no address/);
  });

  test('this machine, but for localhost', async () => {
    const port = Number(new URL(upstream.address).port);
    assert.equal(await reach('localhost', ['127.0.0.1'], port), '200');
    assert.match(await reach('localhost', ['169.254.169.254'], port), /which cannot be an upstream/);
    assert.match(await reach('localhost.evil.example', ['127.0.0.1'], port), /resolves to this machine/);
    assert.match(await reach('evil-localhost', ['127.0.0.1'], port), /resolves to this machine/);
  });

  test('another place at the next connection (DNS rebinding)', async () => {
    let answers = 0;
    const port = Number(new URL(upstream.address).port);
    const settings = { ...upstreamDefaults, name: 'api', addresses: [`http://localhost:${port}`] };
    const api = new Upstream(
      settings,
      () => 0,
      (_name, _options, callback) => {
        callback(null, [{ address: answers++ === 0 ? '127.0.0.1' : '169.254.169.254', family: 4 }]);
      },
    );
    const request = {
      method: 'HEAD',
      target: '/',
      headersFor: () => ['Host', 'a'],
      body: new Uint8Array(0),
      firstByteSeconds: undefined,
      idleSeconds: undefined,
      upgrade: undefined,
    };
    const client = { onGone: () => undefined, hint: () => undefined, canSwitch: false };
    assert.equal((await api.send(request, client)).head.status, 200);
    await upstream.endAll();
    await assert.rejects(api.send(request, client), /which cannot be an upstream/);
    assert.equal(answers, 2);
    await api.close();
  });
});

describe('an upstream’s address in the settings', () => {
  for (const address of [
    ...'http://0x7f000001 http://2130706433 http://127.1 http://0177.0.0.1 http://127.0.0.1. http://127.0.0.1:0'.split(
      ' ',
    ),
    ...'http://[::ffff:127.0.0.1] http://[0:0:0:0:0:0:0:1] http://[::1%25lo] http://LOCALHOST http://a@b http://a:b@c'.split(
      ' ',
    ),
    ...'http://a/b http://a?b http://a#b http://a\\b http:/a http:a //a a:1 ftp://a file:///a unix:/a'.split(
      ' ',
    ),
    'http://',
    'http://a b',
    'http://a\n',
    'http://a:99999',
    'http://a:',
    'http://ⓛocalhost',
    'http://１２７.0.0.1',
    '',
  ])
    test(`${JSON.stringify(address)} is refused`, () => {
      assert.equal(typeof problemOfUpstreamAddress(address), 'string');
    });

  for (const address of [
    'http://127.0.0.1:3000',
    'https://api.internal',
    'http://[::1]:80/',
    'http://localhost:3000',
  ])
    test(`${address} is taken`, () => {
      assert.equal(problemOfUpstreamAddress(address), undefined);
    });
});
