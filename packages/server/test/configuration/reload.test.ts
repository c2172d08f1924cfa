import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { closeServer, listenOn } from '@countersign/testing/listen-on';
import {
  apiBaseUrl,
  publishedKeyPair,
  runService,
  type RunningService,
  sendSigned,
} from '@countersign/testing/running-service';
import { waitUntil } from '@countersign/testing/wait-until';
import { pino } from 'pino';
import { loadConfiguration } from '../../src/configuration/load-at-once.ts';
import { followConfiguration } from '../../src/assembly/follow-configuration.ts';

/** A service that follows a configuration file, in front of an API that responds with its name. */
async function following(
  t: TestContext,
  table: (address: string) => object,
): Promise<{
  running: RunningService;
  file: string;
  address: string;
  read: (path: string) => Promise<string>;
  /** The service's report each time it read the file. */
  messages: readonly string[];
  /** The mistakes that it reported, each time. */
  mistakes: readonly (readonly string[])[];
}> {
  const server = createServer((_, response) => response.end('one'));
  const address = await listenOn(server);
  const folder = mkdtempSync(join(tmpdir(), 'countersign-reload-'));
  const file = join(folder, 'countersign.json');
  writeFileSync(file, JSON.stringify({ apiBaseUrls: [apiBaseUrl], ...table(address) }));
  const environment = { COUNTERSIGN_CONFIGURATION_FILE: file };
  const running = await runService(environment);
  const { signer } = await running.addClient({ roles: ['api-user', 'payments-operator'] });
  const loadAgain = (): ReturnType<typeof loadConfiguration> =>
    loadConfiguration({
      ...environment,
      COUNTERSIGN_PORT: '0',
      COUNTERSIGN_DATA_FOLDER: running.dataFolder,
      COUNTERSIGN_PUBLIC_BASE_URLS: 'https://api.example.test',
      COUNTERSIGN_ALLOW_PUBLISHED_TEST_KEYS: 'yes',
    });
  const messages: string[] = [];
  const mistakes: (readonly string[])[] = [];
  const write = (line: string): void => {
    const { msg, mistakes: found } = JSON.parse(line) as { msg: string; mistakes?: readonly string[] };
    messages.push(msg);
    if (found) mistakes.push(found);
  };
  const { stop } = followConfiguration({
    configuration: running.service.configuration,
    loadAgain,
    service: running.service,
    logger: pino({}, { write }),
    everyMs: 20,
  });
  t.after(async () => {
    await stop();
    await running.close();
    await closeServer(server);
    rmSync(folder, { recursive: true });
  });
  let reads = 0;
  const read = async (path: string): Promise<string> => {
    // Equal requests need a second each.
    const url = `${apiBaseUrl}${path}?${(reads += 1)}`;
    const { headers } = signer.sign({ method: 'GET', url });
    const { text, status } = await running.send({ method: 'GET', url, headers: { ...headers } });
    return status === 200 ? text : (JSON.parse(text) as { code: string }).code;
  };
  const { status } = await sendSigned(running, signer, { method: 'GET', url: '/v1/whoami' });
  assert.equal(status, 200);
  return { running, file, address, read, messages, mistakes };
}

/** Repeats a request until it gets the expected response. */
async function becomes(expected: string, ask: () => Promise<string>): Promise<void> {
  let answer = '';
  await waitUntil(
    async () => {
      answer = await ask();
      return answer === expected;
    },
    () => `${expected}, and not ${answer}`,
  );
}

const routesTo = (path: string, permission = 'shop'): object[] => [{ path, permission }];

test('a changed file changes routes, upstreams and permissions, without a restart', async (t) => {
  const { file, address, read, running } = await following(t, (upstream) => ({
    upstream,
    routes: routesTo('/old'),
  }));
  assert.deepEqual([await read('/old'), await read('/new')], ['one', 'not_found']);
  const other = createServer((_, response) => response.end('two'));
  const otherAddress = await listenOn(other);
  t.after(() => closeServer(other));
  const upstreams = { first: { addresses: address }, second: { addresses: otherAddress } };
  const routes = [{ path: '/new', upstream: 'second', permission: 'stock:read' }];
  writeFileSync(file, JSON.stringify({ apiBaseUrls: [apiBaseUrl], upstreams, routes }));
  await becomes('two', () => read('/new'));
  assert.equal(await read('/old'), 'not_found');
  const { signer } = await running.addClient({
    roles: ['administrator'],
    keyPair: publishedKeyPair('rsa-2048-b'),
  });
  const { text } = await sendSigned(running, signer, { method: 'GET', url: '/v1/permissions' });
  assert.match(text, /"stock:read"/);
  assert.doesNotMatch(text, /"shop:read"/);
});

test('a configuration that is being read when following stops is neither used nor called wrong', async () => {
  for (const outcome of ['resolves', 'rejects'] as const) {
    const said: string[] = [];
    const reading = Promise.withResolvers<AbortSignal>();
    const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof loadConfiguration>>();
    const configuration = loadConfiguration({});
    const { readAgain, stop } = followConfiguration({
      configuration,
      loadAgain: (signal) => {
        reading.resolve(signal);
        return promise;
      },
      service: {
        useRouting: () => {
          said.push('used');
          return Promise.resolve([]);
        },
      },
      logger: pino({}, { write: (line: string) => said.push(line) }),
    });
    readAgain();
    const signal = await reading.promise;
    const stopped = stop();
    assert.equal(signal.aborted, true);
    if (outcome === 'resolves') resolve(configuration);
    else reject(new Error('aborted'));
    await stopped;
    readAgain();
    await stop();
    assert.deepEqual(said, [], outcome);
  }
});

test('a file with mistakes changes nothing, and the next good one counts', async (t) => {
  const { file, address, read, messages } = await following(t, (upstream) => ({
    upstream,
    routes: routesTo('/old'),
  }));
  const write = (content: object): void =>
    writeFileSync(file, JSON.stringify({ apiBaseUrls: [apiBaseUrl], ...content }));
  const isRefused = (count: number): Promise<number> =>
    waitUntil(
      () => messages.filter((message) => message.includes('has mistakes')).length === count,
      () => messages,
    );
  writeFileSync(file, '{"upstream":');
  await isRefused(1);
  assert.equal(await read('/old'), 'one');
  write({ upstream: 'ftp://x', routes: routesTo('/new') });
  await isRefused(2);
  assert.deepEqual([await read('/old'), await read('/new')], ['one', 'not_found']);
  write({ upstream: address, routes: routesTo('/new') });
  await becomes('one', () => read('/new'));
});

test('a route cannot accept a profile before the service does', async (t) => {
  const { file, address, read, mistakes } = await following(t, (upstream) => ({
    upstream,
    routes: routesTo('/old'),
  }));
  const routes = [{ path: '/new', permission: 'shop', profiles: ['countersign', 'curl-8.22'] }];
  const content = { apiBaseUrls: [apiBaseUrl], upstream: address, profiles: ['curl-8.22'] };
  writeFileSync(file, JSON.stringify({ ...content, routes }));
  await waitUntil(
    () => mistakes.length > 0,
    () => mistakes,
  );
  assert.deepEqual(mistakes, [
    ['the route "/new": "profiles" names curl-8.22, which the service accepts only after a restart'],
  ]);
  assert.deepEqual([await read('/old'), await read('/new')], ['one', 'not_found']);
  writeFileSync(file, JSON.stringify({ ...content, routes: routesTo('/new') }));
  await becomes('one', () => read('/new'));
});

test('a base URL accepts other profiles without a restart, but only those of the running service', async (t) => {
  const { file, address, read, mistakes, running } = await following(t, (upstream) => ({
    upstream,
    routes: routesTo('/old'),
    profiles: ['curl-8.22'],
  }));
  const base = { apiBaseUrls: [apiBaseUrl], upstream: address, profiles: ['curl-8.22'] };
  const content = { ...base, routes: routesTo('/new') };
  const other = 'https://other.example.test';
  const early: readonly (readonly [object, RegExp])[] = [
    [
      { profiles: ['gnap-rfc9635'], baseUrlProfiles: { [apiBaseUrl]: ['gnap-rfc9635'] } },
      /no profile "gnap-rfc9635"/,
    ],
    [
      { apiBaseUrls: [apiBaseUrl, other], baseUrlProfiles: { [other]: 'curl-8.22' } },
      /other\.example\.test must be one/,
    ],
  ];
  for (const [index, [change, mistake]] of early.entries()) {
    writeFileSync(file, JSON.stringify({ ...content, ...change }));
    await waitUntil(
      () => mistakes.length > index,
      () => mistakes,
    );
    assert.match(mistakes[index]!.join(), /^COUNTERSIGN_BASE_URL_PROFILES: before a restart, /);
    assert.match(mistakes[index]!.join(), mistake);
  }
  assert.deepEqual([await read('/old'), await read('/new')], ['one', 'not_found']);
  const baseUrlProfiles = { [apiBaseUrl]: 'curl-8.22', 'https://api.example.test': ['curl-8.22'] };
  writeFileSync(file, JSON.stringify({ ...content, baseUrlProfiles }));
  await becomes('profile_not_accepted', () => read('/new'));
  writeFileSync(file, JSON.stringify({ ...content, apiBaseUrls: [other] }));
  await waitUntil(
    () => mistakes.length > early.length,
    () => mistakes,
  );
  assert.match(mistakes.at(-1)!.join(), /shop\.example\.test is still served, and would accept every/);
  assert.equal(await read('/new'), 'profile_not_accepted');
  const own = await running.addClient({ keyPair: publishedKeyPair('rsa-2048-a') });
  assert.equal((await sendSigned(running, own.signer, { method: 'GET', url: '/v1/whoami' })).status, 403);
  writeFileSync(file, JSON.stringify(content));
  await becomes('one', () => read('/new'));
  assert.equal((await sendSigned(running, own.signer, { method: 'GET', url: '/v1/whoami' })).status, 200);
});

test('a request that has begun ends with the upstream that it began with', async (t) => {
  const waiting = createServer();
  const address = await listenOn(waiting);
  t.after(() => closeServer(waiting));
  const { file, read } = await following(t, () => ({ upstream: address, routes: routesTo('/slow') }));
  const begun = once(waiting, 'request') as Promise<[unknown, { end: (text: string) => void }]>;
  const answer = read('/slow');
  const [, response] = await begun;
  const away = { apiBaseUrls: [apiBaseUrl], upstream: 'http://127.0.0.1:9', routes: routesTo('/new') };
  writeFileSync(file, JSON.stringify(away));
  await becomes('upstream_unavailable', () => read('/new'));
  response.end('late');
  assert.equal(await answer, 'late');
});

test('a request whose body is still on its way reaches the upstream that it began with', async (t) => {
  const { file, address, read, running } = await following(t, (upstream) => ({
    upstream,
    routes: routesTo('/old'),
  }));
  const { signer } = await running.addClient({
    roles: ['api-user'],
    keyPair: publishedKeyPair('rsa-2048-b'),
  });
  const url = `${apiBaseUrl}/old`;
  const { headers } = signer.sign({ method: 'POST', url, body: 'hello' });
  const { hostname, port } = new URL(running.service.apiAddress!);
  const framing = { Host: new URL(apiBaseUrl).host, 'Content-Length': '5' };
  const sending = request({
    hostname,
    port,
    method: 'POST',
    path: '/old',
    headers: { ...framing, ...headers },
  });
  sending.write('he');
  // It was sent later and has its response, so the head has arrived.
  await once(sending, 'socket');
  assert.equal(await read('/old'), 'one');
  const away = { apiBaseUrls: [apiBaseUrl], upstream: 'http://127.0.0.1:9', routes: routesTo('/new') };
  writeFileSync(file, JSON.stringify(away));
  await becomes('upstream_unavailable', () => read('/new'));
  sending.end('llo');
  const [answer] = (await once(sending, 'response')) as [IncomingMessage];
  assert.equal(answer.statusCode, 200, address);
  answer.resume();
});
