import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { describe, test, type TestContext } from 'node:test';
import type { Worker } from 'node:worker_threads';
import {
  openProtectedApi,
  type ProtectedApi,
  type ProtectedApiOptions,
} from '@countersign/testing/protected-api';
import { openConnection, requestText } from '@countersign/testing/raw-connection';
import { type Answer, apiBaseUrl } from '@countersign/testing/running-service';
import { waitUntil } from '@countersign/testing/wait-until';
import { createLogger } from '../../src/telemetry/logger.ts';

const environment = { COUNTERSIGN_THREADS: '2' };

/** Starts an API behind several threads, and returns the threads too. */
async function openThreads(
  t: TestContext,
  options: ProtectedApiOptions = {},
): Promise<ProtectedApi & { readonly threads: readonly Worker[] }> {
  const threads: Worker[] = [];
  const note = (message: unknown): void => void threads.push((message as { worker: Worker }).worker);
  subscribe('worker_threads', note);
  t.after(() => unsubscribe('worker_threads', note));
  const api = await openProtectedApi(t, {
    ...options,
    environment: { ...environment, ...options.environment },
  });
  return { ...api, threads };
}

/** Sends a request over several connections at once, which the system divides between the threads. */
async function sendOften(api: ProtectedApi, times: number, body = '{}'): Promise<readonly Answer[]> {
  const url = `${apiBaseUrl}/orders`;
  const { headers } = api.signer.sign({ method: 'POST', url, body });
  return Promise.all(
    Array.from({ length: times }, () =>
      api.running.send({ method: 'POST', url, body, headers: { ...headers } }),
    ),
  );
}

const statusesOf = (answers: readonly Answer[]): readonly number[] =>
  answers.map(({ status }) => status).toSorted((left, right) => left - right);

describe('several threads', () => {
  test('let each signature pass once, wherever it arrives', async (t) => {
    const api = await openThreads(t);
    for (let round = 1; round <= 20; round++) {
      assert.deepEqual(statusesOf(await sendOften(api, 8, `${round}`)), [200, ...Array(7).fill(401)]);
      assert.equal(api.received.length, round);
    }
  });

  test('remember it after a clean stop and after a crash', async (t) => {
    const api = await openThreads(t);
    const url = `${apiBaseUrl}/orders`;
    const { headers } = api.signer.sign({ method: 'POST', url, body: '{}' });
    const send = (): Promise<Answer> =>
      api.running.send({ method: 'POST', url, body: '{}', headers: { ...headers } });
    assert.equal((await send()).status, 200);
    await api.running.restart();
    assert.equal((await send()).json()['code'], 'signature_replayed');
    await api.running.crash();
    assert.equal((await send()).json()['code'], 'recently_restarted');
    assert.equal(api.received.length, 1);
  });

  test('keep idle connections for as long as the setting says', async (t) => {
    const api = await openThreads(t, { environment: { COUNTERSIGN_KEEP_ALIVE_SECONDS: '620' } });
    const connection = await openConnection(Number(new URL(api.running.service.apiAddress!).port));
    const { href, host, pathname } = new URL(`${apiBaseUrl}/orders`);
    const { headers } = api.signer.sign({ method: 'GET', url: href });
    connection.write(requestText('GET', pathname, { Host: host, ...headers }));
    const answer = await connection.answer();
    assert.deepEqual([answer.status, answer.headers['keep-alive']], [200, 'timeout=620']);
    connection.cut();
  });

  test('follow a change of the registry at once', async (t) => {
    const api = await openThreads(t);
    for (let round = 0; round < 10; round++) {
      await api.running.change((registry) => registry.disableClient(api.clientId));
      const refused = await Promise.all(
        Array.from({ length: 6 }, () => api.call('GET', `/refused/${round}`)),
      );
      assert.deepEqual(new Set(refused.map((answer) => answer.json()['code'])), new Set(['client_disabled']));
      await api.running.change((registry) => registry.enableClient(api.clientId));
      const passed = await Promise.all(Array.from({ length: 6 }, () => api.call('GET', `/passed/${round}`)));
      assert.deepEqual(statusesOf(passed), Array(6).fill(200));
    }
  });

  test('count the requests of a client together', async (t) => {
    const api = await openThreads(t, {
      environment: {
        COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '1',
        COUNTERSIGN_CLIENT_REQUESTS_BURST_MAX: '5',
      },
    });
    const statuses: number[] = [];
    for (let index = 0; index < 12; index++) statuses.push((await api.call('GET', `/${index}`)).status);
    assert.deepEqual(statuses, [...Array(5).fill(200), ...Array(7).fill(429)]);
  });

  test('count the failures of an address together', async (t) => {
    const api = await openThreads(t, { environment: { COUNTERSIGN_ADDRESS_FAILURES_PER_MINUTE_MAX: '5' } });
    const codes: unknown[] = [];
    for (let index = 0; index < 12; index++) {
      const answer = await api.running.send({ method: 'GET', url: `${apiBaseUrl}/${index}` });
      codes.push(answer.json()['code']);
    }
    assert.deepEqual(codes.slice(0, 5), Array(5).fill('signature_missing'));
    assert.deepEqual(codes.slice(5), Array(7).fill('too_many_failures'));
  });

  test('tell the log, the metrics and the request log of every request', async (t) => {
    const lines: { outcome?: string; requestId?: string }[] = [];
    const logger = createLogger('silent', '');
    logger.info = (line: object) => void lines.push(line);
    const api = await openThreads(t, { logger, environment: { COUNTERSIGN_METRICS_PORT: '0' } });
    const answers = [...(await sendOften(api, 30)), await api.call('GET', '/')];
    const { metricsAddress } = api.running.service;
    const figures = [
      'countersign_requests_total{code="accepted"} 2',
      'countersign_requests_total{code="signature_replayed"} 29',
      'countersign_handler_duration_seconds_count{upstream="api"} 2',
    ];
    let text = '';
    await waitUntil(
      async () => {
        text = await (await fetch(`${metricsAddress}/metrics`)).text();
        return figures.every((line) => text.includes(`${line}\n`));
      },
      () => text,
    );
    assert.equal(new Set(lines.flatMap(({ requestId }) => requestId ?? [])).size, answers.length);
  });

  test('use other routes from the next request on', async (t) => {
    const api = await openThreads(t);
    const { service } = api.running;
    const { routing } = service.configuration;
    assert.equal((await api.call('GET', '/orders')).status, 200);
    await service.useRouting({ ...service.configuration, routing: { ...routing!, routes: [] } });
    for (let index = 0; index < 8; index++) assert.equal((await api.call('GET', '/orders')).status, 404);
  });

  test('accept the profiles of their base URL, and others from the next request on', async (t) => {
    const settings = { COUNTERSIGN_BASE_URL_PROFILES: `${apiBaseUrl}=countersign-without-date` };
    const api = await openThreads(t, { environment: settings });
    const { service } = api.running;
    const { routing } = service.configuration;
    for (let index = 0; index < 8; index++) assert.equal((await api.call('GET', '/orders')).status, 403);
    await service.useRouting({ ...service.configuration, routing: { ...routing!, baseUrlProfiles: {} } });
    for (let index = 8; index < 16; index++)
      assert.equal((await api.call('GET', `/orders/${index}`)).status, 200);
  });

  test('sign responses with the published key of the node', async (t) => {
    const api = await openThreads(t, { environment: { COUNTERSIGN_SIGN_RESPONSES: 'yes' } });
    const path = '/.well-known/http-message-signatures-directory';
    const { keys } = (await api.running.send({ method: 'GET', url: path })).json() as {
      keys: { kid: string }[];
    };
    for (let index = 0; index < 8; index++) {
      const { headers } = await api.call('GET', '/orders');
      assert.match(String(headers['signature-input']), new RegExp(`;keyid="${keys[0]!.kid}";`));
    }
  });

  test('go on when one of them fails, and it is started again; nothing passes twice', async (t) => {
    const warnings: string[] = [];
    let warned = Promise.withResolvers<void>();
    const logger = createLogger('silent', '');
    logger.warn = (_: object, message?: string) => {
      warnings.push(message!);
      warned.resolve();
    };
    const api = await openThreads(t, { logger });
    const url = `${apiBaseUrl}/orders`;
    const used = Array.from({ length: 20 }, (_, index) => {
      const body = String(index);
      return { body, headers: api.signer.sign({ method: 'POST', url, body }).headers };
    });
    const sendAll = (): Promise<readonly Answer[]> =>
      Promise.all(
        used.map(({ body, headers }) =>
          api.running.send({ method: 'POST', url, body, headers: { ...headers } }),
        ),
      );
    assert.deepEqual(statusesOf(await sendAll()), Array(20).fill(200));
    for (const thread of api.threads.slice(0, 2)) {
      warned = Promise.withResolvers<void>();
      await thread.terminate();
      await warned.promise;
      assert.deepEqual(statusesOf(await sendAll()), Array(20).fill(401));
      assert.equal((await api.call('GET', '/new')).status, 200);
    }
    assert.deepEqual(warnings, Array(2).fill('a thread was restarted'));
  });

  test('finish what they have begun before a stop', async (t) => {
    let answer = (): void => undefined;
    const begun = Promise.withResolvers<void>();
    const api = await openThreads(t, {
      answer: (_, response) => {
        answer = () => void response.end('late');
        begun.resolve();
      },
    });
    const running = api.call('GET', '/slow');
    await begun.promise;
    const stopped = api.running.service.stop();
    const other = await api.call('GET', '/other').then(
      ({ status }) => status,
      () => 'no connection',
    );
    assert.ok(other === 503 || other === 'no connection', String(other));
    answer();
    assert.equal((await running).text, 'late');
    await stopped;
    for (const thread of api.threads) if (thread.threadId !== -1) await once(thread, 'exit');
  });
});
