import assert from 'node:assert/strict';
import { readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { waitUntil } from '@countersign/testing/wait-until';
import { exits } from '../src/exits.ts';
import { proxyMetrics } from '../src/proxy/proxy-metrics.ts';
import { proxyRefusals } from '../src/proxy/refusals.ts';
import { otherPair, pair } from './key-files.ts';
import { rawRequest, type RunningProxy, sendRaw, startProxy } from './proxy-scene.ts';
import { run } from './run.ts';
import {
  headerOf,
  type SignedService,
  type SignedServiceOptions,
  startSignedService,
} from './signed-service.ts';

interface Scene extends SignedService, RunningProxy {}

async function openScene(
  t: TestContext,
  argv: readonly string[] = [],
  service: Partial<SignedServiceOptions> = {},
): Promise<Scene> {
  const started = await startSignedService(t, { publicKey: pair.publicKey, ...service });
  return { ...started, ...(await startProxy(t, { target: started.origin, argv })) };
}

/** Returns the status line and the problem code of a response. */
function outcomeOf(answer: string): string {
  return `${answer.slice(9, 12)} ${/"code":"(\w+)"/.exec(answer)?.[1] ?? ''}`.trim();
}

describe('countersign proxy', () => {
  it('signs what passes, and passes the answer on', async (t) => {
    const { address, arrived } = await openScene(t);
    const body = '{"amount":1250}';
    const answer = await fetch(`${address}/v1/payments?a=%7e&b=`, { method: 'POST', body });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/json');
    assert.equal(await answer.text(), '{"ok":true}');
    const [request] = arrived;
    assert.ok(request?.verification.ok);
    assert.equal(request.target, '/v1/payments?a=%7e&b=');
    assert.equal(request.body.toString(), body);
    assert.equal(headerOf(request, 'content-type'), 'text/plain;charset=UTF-8');
  });

  it('adds the base path of its target, and takes URLs of the target as a forward proxy does', async (t) => {
    const { origin, arrived } = await startSignedService(t, { publicKey: pair.publicKey });
    const { port } = await startProxy(t, { target: `${origin}/base/` });
    const host = new URL(origin).host;
    const targets: readonly (readonly [line: string, outcome: string, target?: string])[] = [
      ['/v1?q', '200', '/base/v1?q'],
      [`http://${host}/base/v1`, '200', '/base/v1'],
      [`HTTP://${host}/base/`, '200', '/base/'],
      [`http://${host}/other`, '403 target_not_allowed'],
      [`http://${host}`, '403 target_not_allowed'],
      [`http://${host}/basement`, '403 target_not_allowed'],
      ['http://evil.example/base/v1', '403 target_not_allowed'],
      [`http://user@${host}/base/v1`, '403 target_not_allowed'],
      [`http://${host}@evil.example/base/v1`, '403 target_not_allowed'],
      ['*', '400 request_invalid'],
      ['ftp://x/', '400 request_invalid'],
    ];
    for (const [line, outcome, target] of targets) {
      const answer = await sendRaw(port, rawRequest(`OPTIONS ${line} HTTP/1.1`, [`Host: ${host}`]));
      assert.equal(outcomeOf(answer), outcome, line);
      if (target !== undefined) assert.equal(arrived.at(-1)?.target, target);
    }
    assert.equal(arrived.length, 3);
  });

  it('serves callers of this machine alone: no web page, under whatever name', async (t) => {
    const { port, origin, arrived } = await openScene(t, ['--allow-host', 'Sidecar:8420']);
    const own = `Host: 127.0.0.1:${port}`;
    const cases: readonly (readonly [headers: readonly string[], outcome: string])[] = [
      [[own], '200'],
      [[`Host: localhost:${port}`], '200'],
      [[`Host: ${new URL(origin).host}`], '200'],
      [['Host: sidecar:8420'], '200'],
      [[own, 'Sec-Fetch-Site: none'], '200'],
      [['Host: evil.example'], '403 host_not_allowed'],
      [[`Host: evil.example:${port}`], '403 host_not_allowed'],
      [[`Host: 127.0.0.1.evil.example:${port}`], '403 host_not_allowed'],
      [['Host:'], '403 host_not_allowed'],
      [[own, 'Host: evil.example'], '403 host_not_allowed'],
      [[own, 'Origin: https://evil.example'], '403 browser_not_allowed'],
      [[own, 'Origin: null'], '403 browser_not_allowed'],
      [[own, `Origin: http://127.0.0.1:${port}`], '403 browser_not_allowed'],
      [[own, 'Sec-Fetch-Site: cross-site'], '403 browser_not_allowed'],
      [[own, 'Sec-Fetch-Site: same-origin'], '403 browser_not_allowed'],
    ];
    for (const [index, [headers, outcome]] of cases.entries()) {
      const answer = await sendRaw(port, rawRequest(`GET /${index} HTTP/1.1`, headers));
      assert.equal(outcomeOf(answer), outcome, headers.join(', '));
      assert.ok(!/access-control/i.test(answer));
    }
    const preflight = ['Origin: https://evil.example', 'Access-Control-Request-Method: PUT'];
    const refused = await sendRaw(port, rawRequest('OPTIONS / HTTP/1.1', [own, ...preflight]));
    assert.equal(outcomeOf(refused), '403 browser_not_allowed');
    assert.equal(arrived.length, 5);
  });

  it('replaces the signature of a caller, and keeps what belongs to a connection', async (t) => {
    const { port, arrived, origin } = await openScene(t);
    const forged = [
      'Signature: sig=:AAAA:',
      'signature-input: sig=();created=1;keyid="other";alg="rsa-v1_5-sha256"',
      'SIGNATURE: sig2=:AAAA:',
      'Content-Digest: sha-256=:AAAA:',
      'Date: Tue, 20 Apr 2021 02:07:55 GMT',
    ];
    const hop = [
      'Connection: X-Secret, Keep-Alive',
      'X-Secret: 1',
      'Keep-Alive: 5',
      'TE: trailers',
      'Upgrade: h2c',
    ];
    const more = [
      'Proxy-Authorization: Basic x',
      'Proxy-Connection: close',
      'Trailer: X-Late',
      'HTTP2-Settings: AAA',
    ];
    const kept = [
      'X-One: 1',
      'x-one: 2',
      'Authorization: Bearer b',
      'Cookie: c=1',
      'Accept-Signature: sig=()',
    ];
    const lines = [
      `Host: 127.0.0.1:${port}`,
      'Transfer-Encoding: chunked',
      ...forged,
      ...hop,
      ...more,
      ...kept,
    ];
    const answer = await sendRaw(
      port,
      rawRequest('POST /x HTTP/1.1', lines, '3\r\nabc\r\n0\r\nX-Late: 1\r\n\r\n'),
    );
    assert.equal(outcomeOf(answer), '200');
    const [request] = arrived;
    assert.ok(request?.verification.ok);
    assert.equal(request.body.toString(), 'abc');
    const names = request.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
    assert.equal(
      names.toSorted().join(' '),
      'accept-signature authorization connection content-digest content-length cookie date host ' +
        'signature signature-input x-one x-one',
    );
    assert.equal(headerOf(request, 'host'), new URL(origin).host);
    assert.equal(headerOf(request, 'connection'), 'keep-alive');
  });

  it('refuses tunnels, other protocols, and bodies above its limit', async (t) => {
    const { port, arrived, address } = await openScene(t, ['--body-bytes-max', '1000']);
    const own = `Host: 127.0.0.1:${port}`;
    assert.equal(
      outcomeOf(await sendRaw(port, rawRequest('CONNECT evil.example:443 HTTP/1.1', [own]))),
      '405 method_not_allowed',
    );
    const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
    assert.equal(
      outcomeOf(await sendRaw(port, rawRequest('GET / HTTP/1.1', [own, ...upgrade]))),
      '501 upgrade_not_supported',
    );
    for (const announced of ['Content-Length: 1001', 'Transfer-Encoding: chunked']) {
      const body = announced.startsWith('C') ? 'x'.repeat(1001) : `3e9\r\n${'x'.repeat(1001)}\r\n0\r\n\r\n`;
      const answer = await sendRaw(port, rawRequest('POST / HTTP/1.1', [own, announced], body));
      assert.equal(outcomeOf(answer), '413 body_too_large');
    }
    assert.equal(arrived.length, 0);
    const whole = await fetch(`${address}/`, { method: 'POST', body: 'x'.repeat(1000) });
    assert.equal(whole.status, 200);
    for (const garbage of [
      'GET / HTTP/1.1\r\n\r\n',
      'GET /\u0000 HTTP/1.1\r\n\r\n',
      '\u0016\u0003\u0001\r\n\r\n',
    ])
      assert.match(await sendRaw(port, garbage), /^HTTP\/1\.1 400 /);
    assert.equal(arrived.length, 1);
  });

  it('answers as it comes: streams, statuses without a body, and what ends too early', async (t) => {
    const go = Promise.withResolvers<void>();
    const { address, port } = await openScene(t, [], {
      answer({ target }, response) {
        if (target === '/stream') {
          response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Set-Cookie': ['a=1', 'b=2'] });
          response.write('data: 1\n\n');
          void go.promise.then(() => response.end('data: 2\n\n'));
        } else if (target === '/cut') {
          response.writeHead(200, { 'Content-Length': '100' });
          response.write('x', () => response.destroy());
        } else if (target === '/quiet') {
          response.flushHeaders();
          void go.promise.then(() => response.end());
        } else response.writeHead(Number(target.slice(1)), { 'X-Way': 'through' }).end();
      },
    });
    const quiet = await fetch(`${address}/quiet`);
    assert.equal(quiet.status, 200);
    const stream = await fetch(`${address}/stream`);
    assert.deepEqual(stream.headers.getSetCookie(), ['a=1', 'b=2']);
    const reader = stream.body!.getReader();
    assert.equal(Buffer.from((await reader.read()).value!).toString(), 'data: 1\n\n');
    go.resolve();
    assert.equal(Buffer.from((await reader.read()).value!).toString(), 'data: 2\n\n');
    assert.equal((await reader.read()).done, true);
    for (const status of [204, 304, 404, 503]) {
      const answer = await fetch(`${address}/${status}`);
      assert.equal(answer.status, status);
      assert.equal(answer.headers.get('x-way'), 'through');
      await answer.arrayBuffer();
    }
    const head = await sendRaw(port, rawRequest('HEAD /200 HTTP/1.1', [`Host: 127.0.0.1:${port}`]));
    assert.match(head, /^HTTP\/1\.1 200 OK\r\nX-Way: through\r\n/);
    await assert.rejects(async () => (await fetch(`${address}/cut`)).text());
  });

  it('corrects a clock that is off', async (t) => {
    const { address, arrived, notes } = await openScene(t, [], { aheadSeconds: 7200 });
    for (const path of ['/1', '/2']) assert.equal((await fetch(address + path)).status, 200);
    assert.deepEqual(
      arrived.map(({ target, verification }) => [target, verification.ok]),
      [
        ['/1', false],
        ['/1', true],
        ['/2', true],
      ],
    );
    assert.match(notes(), /clock of this machine is 7\d\d\d s off/);
  });

  it('never sends a change again that was refused as a replay', async (t) => {
    const service = await startSignedService(t, { publicKey: pair.publicKey });
    const proxies = await Promise.all([1, 2].map(() => startProxy(t, { target: service.origin })));
    const answers = await Promise.all(
      proxies.flatMap((proxy) =>
        [1, 2, 3].map(() => fetch(`${proxy.address}/same`, { method: 'POST', body: 'x' })),
      ),
    );
    // Two signers that know nothing of each other sign the same.
    for (const { status } of answers) assert.ok(status === 200 || status === 401, String(status));
    assert.equal(service.arrived.length, 6);
  });

  it('lets equal reads share a second, whatever other proxies with its folder read', async (t) => {
    const service = await startSignedService(t, { publicKey: pair.publicKey, repeat: 'equal-reads' });
    const argv = ['--shared-folder', join(temporaryFolder(t), 'seconds')];
    const proxies = [
      await startProxy(t, { target: service.origin, argv }),
      await startProxy(t, { target: service.origin, argv }),
      await startProxy(t, { target: service.origin }),
    ];
    for (const { address } of proxies) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(`${address}/read`)));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    }
    for (const { verification } of service.arrived) assert.ok(verification.ok);
  });

  it('gives each equal read a second of its own once the service has refused one', async (t) => {
    const { address, arrived } = await openScene(t);
    for (let reads = 0; reads < 4; reads++) assert.equal((await fetch(`${address}/read`)).status, 200);
    assert.ok(arrived.filter(({ verification }) => !verification.ok).length <= 1);
  });

  it('sends a HEAD once more in a new second when its refusal may be one of a replay', async (t) => {
    const { address, arrived } = await openScene(t);
    for (let reads = 0; reads < 4; reads++)
      assert.equal((await fetch(`${address}/read`, { method: 'HEAD' })).status, 200);
    assert.ok(arrived.filter(({ verification }) => !verification.ok).length <= 1);
  });

  it("does not take an API's own 401 to a HEAD for the refusal of a replay", async (t) => {
    const { address, arrived } = await openScene(t, [], {
      repeat: 'equal-reads',
      answer: ({ target }, response) =>
        response
          .writeHead(target === '/auth' ? 401 : 200, { 'Content-Type': 'application/problem+json' })
          .end('{}'),
    });
    assert.equal((await fetch(`${address}/auth`, { method: 'HEAD' })).status, 401);
    assert.equal(arrived.length, 2);
    const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(`${address}/read`)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const created = arrived
      .slice(2)
      .map((one) => /;created=(\d+)/.exec(headerOf(one, 'signature-input') ?? '')?.[1]);
    // Seconds of their own would be as many as the reads.
    assert.ok(new Set(created).size < 30);
  });

  it('lets a change wait for a second of its own', async (t) => {
    const { address, arrived } = await openScene(t);
    const answers = await Promise.all(
      Array.from({ length: 33 }, () => fetch(`${address}/same`, { method: 'POST', body: 'x' })),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(arrived.length, 33);
  });

  it("leaves an API's own problem with a code of the service alone", async (t) => {
    const serverTime = new Date(Date.now() + 3_600_000).toISOString();
    const code = 'created_expired';
    const types = ['about:blank', `https://shop.example/problems#${code}`, `#${code}`];
    const { address, arrived, notes } = await openScene(t, [], {
      answer: ({ target }, response) => {
        const problem = { type: types[Number(target.slice(1))], code, serverTime };
        response.writeHead(401, { 'Content-Type': 'application/problem+json' }).end(JSON.stringify(problem));
      },
    });
    for (const index of types.keys())
      assert.equal((await fetch(`${address}/${index}`, { method: 'POST', body: 'x' })).status, 401);
    assert.equal(arrived.length, 3);
    assert.doesNotMatch(notes(), /clock of this machine/);
  });

  it('follows the clock of a service whose page of error codes has moved, if it is told', async (t) => {
    const base = 'https://docs.example/codes';
    const argv = ['--problem-type-base', base];
    const { address, arrived } = await openScene(t, argv, {
      answer: (_request, response) => {
        if (arrived.length > 1) {
          response.writeHead(200).end();
          return;
        }
        const code = 'created_expired';
        const serverTime = new Date(Date.now() + 10_000).toISOString();
        const problem = { type: `${base}#${code}`, code, serverTime };
        response.writeHead(401, { 'Content-Type': 'application/problem+json' }).end(JSON.stringify(problem));
      },
    });
    assert.equal((await fetch(`${address}/moved`)).status, 200);
    assert.equal(arrived.length, 2);
  });

  it('never signs the same as another proxy with its key and shared folder', async (t) => {
    const service = await startSignedService(t, { publicKey: pair.publicKey });
    const shared = join(temporaryFolder(t), 'seconds');
    const argv = ['--shared-folder', shared];
    const proxies = await Promise.all([1, 2, 3].map(() => startProxy(t, { target: service.origin, argv })));
    const answers = await Promise.all(
      proxies.flatMap((proxy) =>
        [1, 2, 3].map(() => fetch(`${proxy.address}/same`, { method: 'POST', body: 'x' })),
      ),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 200),
    );
    const names = readdirSync(shared);
    assert.equal(names.length, 9);
    assert.equal(new Set(names.map((name) => name.slice(0, 32))).size, 1);
    rmSync(shared, { recursive: true });
    writeFileSync(shared, '');
    const [one] = proxies;
    const failed = await fetch(`${one!.address}/same`, { method: 'POST', body: 'x' });
    assert.deepEqual(
      [failed.status, ((await failed.json()) as { code: string }).code],
      [500, 'signing_failed'],
    );
    assert.equal(service.arrived.length, 9);
  });

  it('follows the key file, and keeps its key when the file is broken', async (t) => {
    const { address, keyFile, notes, metricsAddress } = await openScene(t, ['--metrics', '0'], {
      publicKey: otherPair.publicKey,
    });
    const first = await fetch(`${address}/`);
    assert.equal(first.status, 401);
    assert.match(await first.text(), /signature_invalid/);
    writeFileSync(keyFile, 'no key');
    await waitUntil(() => notes().includes('the key stays in use'), notes);
    writeFileSync(`${keyFile}.new`, otherPair.privateKey);
    renameSync(`${keyFile}.new`, keyFile);
    await waitUntil(() => notes().includes('another key now'), notes);
    assert.equal((await fetch(`${address}/`)).status, 200);
    assert.match(
      await (await fetch(`${metricsAddress}/metrics`)).text(),
      /^countersign_proxy_key_changes_total 1$/m,
    );
  });

  it('counts and logs what it does, without queries and headers', async (t) => {
    const { address, metricsAddress, port, stop } = await openScene(t, ['--metrics', '127.0.0.1:0']);
    await (
      await fetch(`${address}/v1/a?token=hidden`, {
        method: 'POST',
        body: 'hidden',
        headers: { 'X-Key': 'hidden' },
      })
    ).text();
    await sendRaw(port, rawRequest('GET /b?hidden HTTP/1.1', ['Host: evil.example']));
    for (const url of [
      `${address}/c?hidden`,
      'http://me:hidden@evil.example/d',
      'HTTP://me:hidden@evil.example?hidden',
    ])
      await sendRaw(port, rawRequest(`GET ${url} HTTP/1.1`, [`Host: ${new URL(address).host}`]));
    const metrics = await (await fetch(`${metricsAddress}/metrics`)).text();
    for (const name of Object.keys(proxyMetrics)) assert.ok(metrics.includes(`\n${name}`), name);
    assert.match(metrics, /^countersign_proxy_requests_total\{result="200"\} 1$/m);
    assert.match(metrics, /^countersign_proxy_requests_total\{result="host_not_allowed"\} 1$/m);
    assert.match(metrics, /^countersign_proxy_request_seconds_count 5$/m);
    const metricsPort = Number(new URL(metricsAddress).port);
    const rebound = await sendRaw(metricsPort, rawRequest('GET /metrics HTTP/1.1', ['Host: evil.example']));
    assert.match(rebound, /^HTTP\/1\.1 403 /);
    const { out, code } = await stop();
    assert.equal(code, exits.ok.code);
    const entries = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(
      entries.map(({ method, path, status, code: refusal, attempts, bodyBytes }) => [
        method,
        path,
        status,
        refusal,
        attempts,
        bodyBytes,
      ]),
      [
        ['POST', '/v1/a', 200, undefined, 1, 6],
        ['GET', '/b', 403, 'host_not_allowed', 0, 0],
        ['GET', '/c', 403, 'target_not_allowed', 0, 0],
        ['GET', '/d', 403, 'target_not_allowed', 0, 0],
        ['GET', '', 403, 'target_not_allowed', 0, 0],
      ],
    );
    assert.equal(typeof entries[0]?.['created'], 'number');
    assert.ok(!`${out}${metrics}`.includes('hidden'));
  });

  it('keeps its connections, also to callers', async (t) => {
    const sockets = new Set<unknown>();
    const { origin, arrived } = await startSignedService(t, {
      publicKey: pair.publicKey,
      answer(_request, response) {
        sockets.add(response.socket);
        response.end('{}');
      },
    });
    const { address } = await startProxy(t, { target: origin });
    for (let index = 0; index < 5; index += 1) await (await fetch(`${address}/${index}`)).text();
    assert.equal(arrived.length, 5);
    // On a machine that stands still for seconds, one may end in between.
    assert.ok(sockets.size < 5, String(sockets.size));
  });

  it('says when the target is away, and ends after the running requests', async (t) => {
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const { address, stop } = await openScene(t, [], {
      answer(_request, response) {
        begun.resolve();
        void go.promise.then(() => response.end('late'));
      },
    });
    const running = fetch(`${address}/`);
    await begun.promise;
    const ended = stop();
    go.resolve();
    assert.equal(await (await running).text(), 'late');
    assert.equal((await ended).code, exits.ok.code);

    const away = await startProxy(t, { target: 'http://127.0.0.1:9', argv: ['--timeout', '5'] });
    const answer = await fetch(`${away.address}/`);
    assert.equal(answer.status, 502);
    assert.match(await answer.text(), /target_unreachable/);
  });

  it(
    'listens on a socket that only its user can open',
    { skip: process.platform === 'win32' && 'no Unix sockets' },
    async (t) => {
      const { origin, arrived } = await startSignedService(t, { publicKey: pair.publicKey });
      const { address, folder } = await startProxy(t, {
        target: origin,
        listen: 'unix:sign.sock',
        argv: ['--log', 'log.jsonl'],
      });
      const socketPath = join(folder, 'sign.sock');
      assert.equal(address, `unix:${socketPath}`);
      assert.equal(statSync(socketPath).mode & 0o777, 0o600);
      const ask = async (host: string): Promise<number | undefined> => {
        const answer = await new Promise<IncomingMessage>((resolve, reject) => {
          requestHttp({ socketPath, path: '/', headers: { Host: host } }, resolve)
            .on('error', reject)
            .end();
        });
        await text(answer);
        return answer.statusCode;
      };
      assert.equal(await ask('localhost'), 200);
      assert.equal(await ask('evil.example'), 403);
      assert.equal(arrived.length, 1);
      assert.equal(statSync(join(folder, 'log.jsonl')).mode & 0o777, 0o600);
      const argv = [
        '--target',
        origin,
        '--client-id',
        'c',
        '--key',
        'private.pem',
        '--listen',
        `unix:${socketPath}`,
      ];
      const taken = await run(['proxy', ...argv], { folder });
      assert.equal(taken.code, exits.local.code);
      assert.match(taken.errors, /in use already/);
    },
  );

  it('listens on this machine alone', async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'private.pem'), pair.privateKey, { mode: 0o600 });
    symlinkSync(join(folder, 'private.pem'), join(folder, 'file.sock'));
    const own = ['proxy', '--client-id', 'c', '--key', 'private.pem'];
    const cases: readonly (readonly [argv: readonly string[], says: RegExp, code?: number])[] = [
      [['--target', 'http://h', '--listen', '0.0.0.0:80'], /on this machine alone/],
      [['--target', 'http://h', '--listen', 'host:80'], /on this machine alone/],
      [['--target', 'http://h', '--metrics', '[::]:80'], /--metrics must be on this machine alone/],
      [['--target', 'http://h', '--listen', '99999'], /must be a port/],
      [['--target', 'http://u@h'], /--target must be an http or https URL/],
      [['--target', 'h'], /--target must be/],
      [[], /The target is missing/],
      [['--target', 'http://h', '--body-bytes-max', '0'], /whole number from 1/],
      [['--target', 'http://h', '--quiet', '--log', 'x'], /leave out --log/],
      [['--target', 'http://h', '--listen', 'unix:file.sock'], /is not a socket/, exits.local.code],
    ];
    for (const [argv, says, code = exits.usage.code] of cases) {
      const ended = await run([...own, ...argv], { folder });
      assert.match(ended.errors, says);
      assert.equal(ended.code, code);
    }
  });

  it('has refusals that name what is wrong', () => {
    for (const [code, { status, title }] of Object.entries(proxyRefusals)) {
      assert.ok(status >= 400 && status < 600, code);
      assert.ok(title.length > 10, code);
    }
  });
});
