import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, request as requestHttp } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { freePort } from '@countersign/testing/free-port';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { closeServer, listenOn } from '@countersign/testing/listen-on';
import { type RunningService, runService } from '@countersign/testing/running-service';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { exits } from '../src/exits.ts';
import { pair } from './key-files.ts';
import { type Ended, run, type RunOptions } from './run.ts';

interface Step {
  readonly step: string;
  readonly outcome: string;
  readonly found: string;
  readonly advice?: string;
}

interface Examined extends Ended {
  readonly steps: readonly Step[];
  /** The steps with problems: `signature failed, network skipped`. */
  readonly troubles: string;
}

interface Situation {
  readonly roles?: readonly string[];
  readonly network?: readonly string[];
  readonly clientId?: string;
  /** The content of the key file. */
  readonly key?: string;
  readonly keyMode?: number;
  readonly argv?: readonly string[];
  readonly baseUrl?: string;
  readonly isDisabled?: true;
  readonly options?: Partial<RunOptions>;
}

describe('countersign doctor', () => {
  let running: RunningService;
  let baseUrl = '';
  let rewritingUrl = '';
  const rewriting = createServer((incoming, response) => {
    const { method, url = '', headers } = incoming;
    const path = url.replaceAll('%7e', '~');
    const outgoing = requestHttp(`${baseUrl}${path}`, { method, headers: { ...headers } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(outgoing);
  });
  before(async () => {
    const port = await freePort();
    baseUrl = `http://127.0.0.1:${port}`;
    rewritingUrl = await listenOn(rewriting);
    running = await runService({
      COUNTERSIGN_PORT: String(port),
      COUNTERSIGN_PUBLIC_BASE_URLS: `${baseUrl},${rewritingUrl}`,
    });
  });
  after(async () => {
    await running.close();
    await closeServer(rewriting);
  });

  /** Runs it twice as a client of its own, for programs and for people. */
  async function examine(t: TestContext, situation: Situation = {}): Promise<Examined> {
    const { roles = ['payments-reader'], network = ['0.0.0.0'], argv = [], options } = situation;
    const keyPair = makeKeyPair();
    const { clientId } = await running.addClient({ roles, network, keyPair });
    if (situation.isDisabled) await running.change((registry) => registry.disableClient(clientId));
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'private.pem'), situation.key ?? keyPair.privateKey);
    chmodSync(join(folder, 'private.pem'), situation.keyMode ?? 0o600);
    const given = ['--client-id', situation.clientId ?? clientId, '--key', 'private.pem'];
    const all = ['doctor', ...given, '--base-url', situation.baseUrl ?? `${baseUrl}/`, ...argv];
    const { out, code, ...rest } = await run([...all, '--json'], { folder, ...options });
    const forPeople = await run(all, { folder, ...options });
    assert.equal(forPeople.code, code);
    const { ok, steps } = JSON.parse(out) as { ok: boolean; steps: readonly Step[] };
    assert.equal(ok, code === exits.ok.code);
    for (const { step, outcome, advice } of steps) {
      assert.match(forPeople.out, new RegExp(`^(?:ok|look|FAILED|-) +${step} `, 'm'));
      assert.equal(advice !== undefined, outcome === 'warning' || outcome === 'failed', step);
    }
    const troubles = steps
      .filter(({ outcome }) => outcome !== 'ok')
      .map(({ step, outcome }) => `${step} ${outcome}`);
    return { ...rest, code, out: forPeople.out, steps, troubles: troubles.join(', ') };
  }

  it('finds nothing where all is well', async (t) => {
    const { code, out, steps, troubles } = await examine(t, { argv: ['--permission', 'payments:read'] });
    assert.equal(code, exits.ok.code, out);
    assert.equal(troubles, '');
    assert.equal(
      steps.map(({ step }) => step).join(' '),
      'key clientId DNS connection TLS service clock signature network way permission permission',
    );
    assert.match(out, /^ok {5} signature {3}accepted for the client "Test client", key SHA256:\S+$/m);
    assert.match(out, /^ok {5} network {5}127\.0\.0\.1 is on the network whitelist$/m);
    assert.match(out, /Nothing failed\.\n$/);
  });

  const rest = 'network skipped, way skipped, permission skipped';
  const cases: readonly (readonly [what: string, situation: Situation, troubles: string, says: RegExp])[] = [
    [
      'another key',
      { key: pair.privateKey },
      `signature failed, ${rest}`,
      /signature_invalid.*signed as client_\S+ with the key SHA256:/,
    ],
    [
      'another clientId',
      { clientId: 'shop' },
      `clientId warning, signature failed, ${rest}`,
      /not of the form/,
    ],
    [
      'a disabled client',
      { isDisabled: true },
      'client failed, network skipped, way skipped, permission skipped',
      /signature +accepted\n[^]*client_disabled/,
    ],
    [
      'another network',
      { network: ['203.0.113.7'] },
      'network failed, way skipped, permission skipped',
      /127\.0\.0\.1/,
    ],
    ['no role', { roles: [] }, 'permission warning', /no role/],
    [
      'a permission that is missing',
      { argv: ['--permission', 'payments:write', '--permission', 'payments:read'] },
      'permission failed',
      /payments:write is not held/,
    ],
    ['a key that others can read', { keyMode: 0o644 }, 'key file warning', /chmod 600/],
    [
      'a clock that is ahead',
      { options: { nowMs: () => Date.now() + 900_000 } },
      `clock failed, clock failed, signature skipped, ${rest}`,
      /[89]\d\d s ahead/,
    ],
    [
      'a clock that is a little behind',
      { options: { nowMs: () => Date.now() - 30_000 } },
      'clock warning',
      /behind the service/,
    ],
    [
      'another name of the service',
      { baseUrl: 'localhost' },
      `service failed, clock skipped, signature skipped, ${rest}`,
      /does not know itself as http:\/\/localhost/,
    ],
    ['a proxy that rewrites', { baseUrl: 'rewriting' }, 'way failed', /changes requests/],
  ];
  for (const [what, situation, troubles, says] of cases) {
    it(`finds ${what}`, async (t) => {
      const places = { localhost: baseUrl.replace('127.0.0.1', 'localhost'), rewriting: rewritingUrl };
      const place = places[situation.baseUrl as keyof typeof places];
      const examined = await examine(t, { ...situation, ...(place && { baseUrl: place }) });
      assert.equal(examined.troubles, troubles, examined.out);
      assert.match(examined.out, says);
      assert.equal(examined.code, / failed/.test(troubles) ? exits.refused.code : exits.ok.code);
    });
  }

  it('finds what is wrong on the way', async (t) => {
    const afterwards =
      'service skipped, clock skipped, signature skipped, network skipped, way skipped, permission skipped';
    const places: readonly (readonly [baseUrl: string, troubles: string, exit?: number])[] = [
      ['http://no-such-host.invalid', `DNS failed, connection skipped, TLS skipped, ${afterwards}`],
      ['http://127.0.0.1:9', `connection failed, TLS skipped, ${afterwards}`],
      [baseUrl.replace('http:', 'https:'), `TLS failed, ${afterwards}`],
      ['ftp://127.0.0.1', `DNS failed, connection skipped, TLS skipped, ${afterwards}`, exits.usage.code],
    ];
    for (const [place, troubles, exit = exits.unreachable.code] of places) {
      const examined = await examine(t, { baseUrl: place });
      assert.equal(examined.troubles, troubles, examined.out);
      assert.equal(examined.code, exit);
    }
    const other = createServer((_request, response) => response.end('hello'));
    const address = await listenOn(other);
    t.after(() => closeServer(other));
    const examined = await examine(t, { baseUrl: address });
    assert.match(examined.out, /answers 200 and is no Countersign service/);
  });

  it('finds a key file that does not exist, or is not a key', async (t) => {
    const text = await examine(t, { key: 'no key' });
    assert.match(text.troubles, /^key failed, clientId skipped, DNS skipped/);
    assert.equal(text.code, exits.local.code);
    const none = await examine(t, { argv: ['--passphrase-file', 'none.txt'] });
    assert.match(none.troubles, /^key failed/);
    assert.ok(!none.out.includes('PRIVATE'));
  });
});
