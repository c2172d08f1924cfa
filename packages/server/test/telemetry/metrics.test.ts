import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { problems } from '@countersign/contract';
import { makePostgresDatabase } from '@countersign/testing/postgres';
import { postgresSkip } from '@countersign/testing/postgres-server';
import { type RunningService, runService, sendSigned } from '@countersign/testing/running-service';

const metricsOn = { COUNTERSIGN_METRICS_PORT: '0' };

/** The lines of the page, by name and labels. */
async function readFigures({ service }: RunningService): Promise<Map<string, number>> {
  const answer = await fetch(`${service.metricsAddress}/metrics`);
  assert.equal(answer.status, 200);
  const lines = (await answer.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines
      .map((line) => line.split(/ (?=[^ ]+$)/) as [string, string])
      .map(([name, value]) => [name, Number(value)]),
  );
}

describe('the metrics', () => {
  let running: RunningService;
  before(async () => {
    running = await runService(metricsOn);
  });
  after(() => running.close());

  test('are off unless a port is set, and never where clients call', async () => {
    const without = await runService();
    try {
      assert.equal(without.service.metricsAddress, undefined);
      for (const each of [without, running]) {
        const answer = await each.send({ method: 'GET', url: '/metrics' });
        assert.equal(answer.json()['code'], 'signature_missing');
      }
    } finally {
      await without.close();
    }
  });

  test('are all that the other port answers', async () => {
    const { metricsAddress } = running.service;
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/live'],
      ['GET', '/v1/whoami'],
      ['GET', '/metrics/'],
      ['POST', '/metrics'],
    ] as const) {
      assert.equal((await fetch(metricsAddress + path, { method })).status, 404, `${method} ${path}`);
    }
    const answer = await fetch(`${metricsAddress}/metrics`);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  });

  test('a port that is taken: the service does not start, and says which setting', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await assert.rejects(
      runService({ COUNTERSIGN_METRICS_PORT: String(port) }),
      /EADDRINUSE.*COUNTERSIGN_METRICS_PORT/,
    );
    other.close();
  });

  test('count pages as pages, and no time for them: nothing was decided', async () => {
    const earlier = await readFigures(running);
    assert.equal((await running.send({ method: 'GET', url: '/docs/errors' })).status, 200);
    const later = await readFigures(running);
    const grown = (name: string): number => (later.get(name) ?? 0) - (earlier.get(name) ?? 0);
    assert.equal(grown('countersign_requests_total{code="page"}'), 1);
    for (const decision of ['accepted', 'refused'])
      assert.equal(grown(`countersign_request_duration_seconds_count{decision="${decision}"}`), 0);
  });

  test('count each decision once, by its code', async () => {
    const { signer, clientId } = await running.addClient();
    const earlier = await readFigures(running);
    const signed = signer.sign({ method: 'POST', url: 'https://api.example.test/v1/payments', body: '{}' });
    const stale = { ...signed.headers, 'Content-Type': 'application/json' };
    await running.send({ method: 'GET', url: '/v1/whoami' });
    assert.equal((await sendSigned(running, signer, { method: 'GET', url: '/v1/whoami' })).status, 200);
    assert.equal((await sendSigned(running, signer, { method: 'GET', url: '/v1/nothing' })).status, 404);
    const payment = { method: 'POST', url: '/v1/payments', headers: stale, body: '{}' };
    const answers = [await running.send(payment), await running.send(payment)];
    const codes = answers.map((answer) => String(answer.json()['code']));
    const now = await readFigures(running);
    const more = (name: string): number => (now.get(name) ?? 0) - (earlier.get(name) ?? 0);
    const requests = (code: string): number => more(`countersign_requests_total{code="${code}"}`);
    assert.deepEqual(['accepted', 'signature_missing', 'not_found', ...codes].map(requests), [1, 1, 1, 1, 1]);
    assert.equal(codes[1], 'signature_replayed');
    assert.equal(more('countersign_request_duration_seconds_count{decision="accepted"}'), 1);
    assert.equal(more('countersign_request_duration_seconds_count{decision="refused"}'), 4);
    assert.equal(more('countersign_handler_duration_seconds_count{upstream="built_in"}'), 2);
    assert.equal(more('countersign_guard_signatures'), 3);
    assert.equal(now.get('countersign_registry_clients'), 1);
    assert.ok(now.get('countersign_registry_age_seconds')! <= 1);
    assert.equal(now.get('countersign_guard_ready'), 1);
    assert.equal(now.get('countersign_guard_signatures_max'), 1_000_000);
    assert.equal(now.get('countersign_request_records_dropped_total'), 0);
    assert.ok(now.get('process_cpu_seconds_total')! > 0);
    assert.ok(now.get('process_resident_memory_bytes')! > 1_000_000);
    assert.ok(now.get('nodejs_eventloop_lag_p99_seconds')! >= 0);
    // A database in a file has no pool.
    assert.equal(now.has('countersign_database_connections'), false);
    assert.equal(
      [...now.keys()].some((name) => name.includes(clientId)),
      false,
    );
  });

  test('have few labels, whatever is sent', async () => {
    for (let index = 0; index < 20; index += 1) {
      await running.send({
        method: 'GET',
        url: `/v1/stranger-${index}`,
        headers: { Host: 'api.example.test', 'Signature-Input': `sig=();keyid="stranger-${index}"` },
      });
    }
    const known = new Set<string>([...Object.keys(problems), 'accepted', 'page', 'connection_closed']);
    const names = [...(await readFigures(running)).keys()];
    assert.equal(names.filter((name) => name.includes('stranger')).length, 0);
    for (const name of names) {
      const code = /^countersign_requests(?:_observed)?_total\{code="(.*)"\}$/.exec(name)?.[1];
      if (code !== undefined) assert.ok(known.has(code), code);
      else
        assert.match(name, /^[a-z0-9_]+(\{(le|decision|upstream)="[a-z0-9._+Inf]+"(,[a-z]+="[a-z_]+")?\})?$/);
    }
  });
});

test('the metrics of a service on PostgreSQL know its connections', { skip: postgresSkip }, async () => {
  const database = await makePostgresDatabase('migrated');
  const running = await runService({ ...metricsOn, COUNTERSIGN_DATABASE_URL: database.url });
  try {
    const { signer } = await running.addClient();
    assert.equal((await sendSigned(running, signer, { method: 'GET', url: '/v1/payments' })).status, 200);
    const figures = await readFigures(running);
    assert.ok(figures.get('countersign_database_connections')! >= 1);
    assert.ok(figures.has('countersign_database_connections_idle'));
    assert.equal(figures.get('countersign_database_waiting'), 0);
  } finally {
    await running.close();
    await database.remove();
  }
});
