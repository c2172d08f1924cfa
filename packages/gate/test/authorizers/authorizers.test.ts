import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { contentDigest, type Signer } from '@countersign/signature/node';
import { apiBaseUrl, type RunningService, runService } from '@countersign/testing/running-service';
import { exchange, type WireAnswer, type WireRequest } from '@countersign/testing/wire';
import { pino } from 'pino';
import { spellings, spoofedNames } from '../proxy/spoofed-names.ts';
import {
  bodyDeclarers,
  bodyKeepers,
  handOvers,
  neededHeaders,
  type Original,
  ownHeaders,
} from './hand-overs.ts';

interface Change extends Partial<Original> {
  readonly isSigned?: boolean;
  /** Changes the hand-over. */
  readonly wire?: (request: WireRequest) => WireRequest;
  /** The address that asks. */
  readonly from?: string;
}

type Ask = (protocol: string, change?: Change) => Promise<WireAnswer>;

interface Scene {
  readonly running: RunningService;
  readonly ask: Ask;
  readonly port: number;
  readonly lines: Record<string, unknown>[];
}

const protocols = Object.keys(handOvers);
const host = new URL(apiBaseUrl).host;
let orders = 0;

async function openScene(entry: object, environment: Record<string, string> = {}): Promise<Scene> {
  const lines: Record<string, unknown>[] = [];
  const stream = { write: (text: string) => void lines.push(JSON.parse(text) as Record<string, unknown>) };
  const running = await runService(
    {
      COUNTERSIGN_AUTHORIZERS: JSON.stringify(Object.fromEntries(protocols.map((name) => [name, entry]))),
      COUNTERSIGN_API_BASE_URLS: apiBaseUrl,
      ...environment,
    },
    {},
    pino({ formatters: { level: (level) => ({ level }) } }, stream),
  );
  const { signer } = await running.addClient({ roles: ['api-user'], network: ['198.51.100.0/24'] });
  const port = Number(new URL(running.service.authorizerAddress!).port);
  return { running, lines, port, ask: asker(port, signer) };
}

function asker(port: number, signer: Signer): Ask {
  return (
    protocol,
    { isSigned = true, wire = (same: WireRequest) => same, from = '127.0.0.1', ...change } = {},
  ) => {
    // A signer makes few equal requests at a time.
    const { method = 'GET', target = `/orders/${++orders}?x=1`, body } = change;
    const signed = isSigned
      ? Object.entries(signer.sign({ method, url: apiBaseUrl + target, body }).headers)
      : [];
    const original: Original = {
      host,
      address: '198.51.100.7',
      ...change,
      method,
      target,
      headers: [...signed, ...(change.headers ?? [])],
    };
    return exchange(port, wire(handOvers[protocol]!(original)), { localAddress: from });
  };
}

/** The code of a rejection, wherever the protocol carries it. */
function codeOf(answer: WireAnswer): string {
  const told = answer.headers['countersign-refusal'];
  if (told === undefined) return answer.verdict;
  const document = JSON.parse(told) as { code: string; status: number };
  assert.equal(String(document.status), answer.headers['countersign-refusal-status']);
  assert.deepEqual([answer.status, answer.text], [403, '']);
  return document.code;
}

let scene: Scene;
before(async () => {
  scene = await openScene({ from: ['127.0.0.1'] });
});
after(() => scene.running.close());

for (const protocol of protocols) {
  describe(`the authorizer for ${protocol}`, () => {
    test('allows a signed request, and says who sent it', async () => {
      const answer = await scene.ask(protocol);
      assert.equal(answer.status, 200, answer.text);
      assert.match(answer.headers['countersign-client-id']!, /^client_/);
      assert.match(answer.headers['countersign-account']!, /^account_/);
      assert.equal(answer.headers['countersign-roles'], 'api-user');
      assert.match(answer.headers['countersign-key']!, /^key_/);
      assert.match(answer.headers['countersign-request-id']!, /^request_/);
      assert.equal(answer.headers['countersign-content-digest'], undefined);
    });

    test('refuses what the gateway refuses, without an identity', async () => {
      const changed = { wire: replaced('?x=1', '?x=2') };
      const cases: readonly (readonly [Change, string])[] = [
        [{ isSigned: false }, 'signature_missing'],
        [changed, 'signature_invalid'],
        [{ host: 'evil.example' }, 'request_malformed'],
        [{ target: '/orders/a%2Fb' }, 'path_ambiguous'],
        [{ address: '203.0.113.1' }, 'network_not_allowed'],
        // The right-most address is the one that the proxy saw.
        [{ address: '198.51.100.7, 203.0.113.1' }, 'network_not_allowed'],
        [{ headers: [['Upgrade', 'websocket']] }, 'upgrade_refused'],
        [{ headers: [['Upgrade', 'h2c']] }, 'upgrade_refused'],
      ];
      for (const [change, code] of cases) {
        const answer = await scene.ask(protocol, change);
        assert.equal(codeOf(answer), code);
        const names = Object.keys(answer.headers).filter((name) => name.startsWith('countersign-'));
        assert.deepEqual(
          names.filter((name) => !name.startsWith('countersign-refusal')),
          [],
        );
        assert.match(answer.headers['request-id']!, /^request_/);
        if (code.startsWith('signature_')) assert.match(answer.headers['accept-signature']!, /^sig=\(/);
      }
    });

    test('believes no header of another proxy', async () => {
      const rivals = [
        'X-Original-Uri',
        'X-Original-Url',
        'X-Forwarded-Uri',
        'X-Envoy-Original-Path',
        'X-Rewrite-Url',
      ];
      const methods = ['X-Original-Method', 'X-Forwarded-Method'];
      const others = [...rivals, ...methods].filter((name) => !neededHeaders[protocol]!.includes(name));
      assert.ok(others.length >= 5);
      for (const name of others) {
        const value = name.endsWith('Method') ? 'GET' : '/orders';
        const answer = await scene.ask(protocol, { headers: [[name, value]] });
        assert.equal(codeOf(answer), 'request_malformed', name);
        assert.ok(
          scene.lines.some(({ requestId }) => requestId === answer.headers['request-id']),
          name,
        );
      }
    });

    test('lets no header pass in which a client claims another sender, origin or request', async () => {
      const isOfProxy = new Set([
        ...neededHeaders[protocol]!.map((name) => name.toLowerCase()),
        ...(ownHeaders[protocol] ?? []),
      ]);
      for (const spelling of spoofedNames.flatMap(spellings)) {
        // Recipes set or remove these, and a test of each recipe says so.
        if (/^countersign(?!.anything)/i.test(spelling) || isOfProxy.has(spelling.toLowerCase())) continue;
        const answer = await scene.ask(protocol, { headers: [[spelling, 'evil.example']] });
        const removed = answer.headers['x-envoy-auth-headers-to-remove']?.split(', ') ?? [];
        const isRemoved = protocol === 'envoy' && removed.includes(spelling.toLowerCase());
        assert.equal(codeOf(answer), isRemoved ? 'ok' : 'request_malformed', spelling);
      }
    });

    test('needs each of its headers exactly once', async () => {
      for (const name of neededHeaders[protocol]!) {
        const without = await scene.ask(protocol, {
          wire: (request) => ({ ...request, headers: request.headers.filter(([other]) => other !== name) }),
        });
        assert.equal(codeOf(without), 'request_malformed', `without ${name}`);
        const twice = await scene.ask(protocol, {
          wire: (request) => ({
            ...request,
            headers: request.headers.flatMap((one) => (one[0] === name ? [one, one] : [one])),
          }),
        });
        assert.equal(codeOf(twice), 'request_malformed', `with ${name} twice`);
      }
      const nameless = (request: WireRequest): WireRequest => ({
        ...request,
        headers: request.headers.filter(([name]) => name !== 'X-Forwarded-For'),
      });
      assert.equal(codeOf(await scene.ask(protocol, { wire: nameless })), 'request_malformed');
    });

    test('answers nobody but its proxies', async () => {
      const answer = await scene.ask(protocol, { from: '127.0.0.9' });
      assert.deepEqual([answer.status, answer.text], [403, '']);
      const line = scene.lines.findLast(({ peer }) => peer === '127.0.0.9');
      assert.equal(line?.['reason'], `${protocol} is not configured for this address`);
    });

    test('is recorded as the request that the client sent', async () => {
      const answer = await scene.ask(protocol, { target: '/recorded' });
      const id = answer.headers['countersign-request-id'];
      const line = scene.lines.find(({ requestId }) => requestId === id);
      const { outcome, method, path, sourceAddress, authorizer } = line!;
      assert.deepEqual(
        { outcome, method, path, sourceAddress, authorizer },
        {
          outcome: 'accepted',
          method: 'GET',
          path: '/recorded',
          sourceAddress: '198.51.100.7',
          authorizer: protocol,
        },
      );
    });

    test('verifies bodies, or refuses those that it does not see', async () => {
      const isKept = bodyKeepers.includes(protocol);
      for (const method of ['POST', 'GET']) {
        const sent = { method, body: '{"a":1}' };
        assert.equal(codeOf(await scene.ask(protocol, sent)), isKept ? 'body_unseen' : 'ok');
        if (isKept) continue;
        const changed = await scene.ask(protocol, { ...sent, wire: replaced('{"a":1}', '{"a":2}') });
        assert.equal(codeOf(changed), 'digest_mismatch');
        const cut = (request: WireRequest): WireRequest => ({
          ...request,
          headers: [
            ...request.headers.filter(([name]) => name !== 'X-Original-Body'),
            protocol === 'envoy' ? ['X-Envoy-Auth-Partial-Body', 'true'] : ['X-Original-Body', 'kept'],
          ],
        });
        if (['haproxy', 'envoy'].includes(protocol))
          assert.equal(codeOf(await scene.ask(protocol, { ...sent, wire: cut })), 'body_unseen');
      }
    });

    test('answers at once when a body is announced that does not come', async () => {
      for (const framing of [
        ['Content-Length', '5'],
        ['Transfer-Encoding', 'chunked'],
      ] as const) {
        const kept = (request: WireRequest): WireRequest => ({
          ...request,
          body: undefined,
          headers: [
            ...request.headers.filter(([name]) => !['Content-Length', 'X-Original-Body'].includes(name)),
            framing,
            ['X-Original-Body', 'kept'],
          ],
        });
        // The others hand bodies over, so it has to come.
        if (!bodyKeepers.includes(protocol) && protocol !== 'haproxy') continue;
        const answer = await scene.ask(protocol, { method: 'POST', body: '{"a":1}', wire: kept });
        assert.equal(codeOf(answer), 'body_unseen');
        assert.ok(scene.lines.some(({ reason }) => /the proxy keeps the body/.test(String(reason))));
      }
    });

    if (bodyKeepers.includes(protocol)) return;

    if (bodyDeclarers.includes(protocol)) {
      test('believes in an empty body only if the settings declare that bodies are handed over', async () => {
        const silent = (request: WireRequest): WireRequest => ({
          ...request,
          target: request.target.replace('?body=whole', ''),
          headers: request.headers.filter(([name]) => name !== 'X-Original-Body'),
        });
        for (const method of ['GET', 'POST'])
          assert.equal(codeOf(await scene.ask(protocol, { method, wire: silent })), 'body_unseen');
        const sent = { method: 'POST', body: '{"a":1}', wire: silent };
        assert.equal(codeOf(await scene.ask(protocol, sent)), 'ok');
      });
    }

    test('refuses a body above the limit after the other checks', async () => {
      const body = 'x'.repeat(1_048_577);
      assert.equal(codeOf(await scene.ask(protocol, { method: 'POST', body })), 'body_too_large');
      assert.equal(
        codeOf(await scene.ask(protocol, { method: 'POST', body, isSigned: false })),
        'signature_missing',
      );
    });
  });
}

/** Replaces a text in the target, the headers and the body. */
function replaced(from: string, to: string): (request: WireRequest) => WireRequest {
  return ({ method, target, headers, body }) => ({
    method,
    target: target.replace(from, to),
    headers: headers.map(([name, value]) => [name, value.replace(from, to)] as const),
    body: typeof body === 'string' ? body.replace(from, to) : body,
  });
}

test('Envoy is told which headers of a client it must not forward', async () => {
  const headers = [
    ['countersign_client_id', 'evil'],
    ['Countersign-Client-Id', 'evil'],
    ['X-Forwarded-Proto', 'https'],
    ['X-Own', 'kept'],
  ] as const;
  const answer = await scene.ask('envoy', { headers });
  // The settings add X-Original-Body to the hand-over, whether or not the client sent it.
  assert.equal(answer.headers['x-envoy-auth-headers-to-remove'], 'countersign_client_id, x-original-body');
  assert.equal(
    (await scene.ask('traefik', { headers })).headers['x-envoy-auth-headers-to-remove'],
    undefined,
  );
});

describe('the port of authorizers', () => {
  test('has nothing but authorizers', async () => {
    for (const target of [
      '/',
      '/authorize/',
      '/authorize/apache',
      '/authorize/nginx-',
      '/v1/whoami',
      '/health/live',
    ]) {
      const answer = await exchange(scene.port, { method: 'GET', target, headers: [['Host', host]] });
      assert.deepEqual([answer.status, answer.text], [404, ''], target);
      assert.equal(scene.lines.at(-1)?.['path'], target);
    }
  });

  test('needs no gateway: routes decide, and lead nowhere', () => {
    assert.equal(scene.running.service.apiAddress, undefined);
  });

  test('decides by routes without upstreams', async (t) => {
    const routes = [{ path: '/orders/**', permission: 'api' }];
    const routed = await openScene({ from: ['127.0.0.1'] }, { COUNTERSIGN_ROUTES: JSON.stringify(routes) });
    t.after(() => routed.running.close());
    assert.equal((await routed.ask('nginx-njs')).status, 200);
    assert.equal(codeOf(await routed.ask('nginx-njs', { target: '/users' })), 'not_found');
  });
});

describe('bodies that a proxy keeps', () => {
  test('are also those that are too large for memory', async (t) => {
    const small = await openScene({ from: ['127.0.0.1'] }, { COUNTERSIGN_BODY_MEMORY_BYTES_MAX: '1000' });
    t.after(() => small.running.close());
    for (const protocol of protocols.filter((name) => !bodyKeepers.includes(name))) {
      const fits = { method: 'POST', body: 'x'.repeat(1000) };
      const larger = { method: 'POST', body: 'x'.repeat(1001) };
      assert.equal((await small.ask(protocol, fits)).status, 200);
      assert.equal(codeOf(await small.ask(protocol, larger)), 'body_unseen');
      assert.equal(codeOf(await small.ask(protocol, { ...larger, isSigned: false })), 'signature_missing');
    }
  });

  test('digest: the upstream gets the verified digest, also of no body', async (t) => {
    const digest = await openScene({ from: ['127.0.0.1'], body: 'digest' });
    t.after(() => digest.running.close());
    for (const protocol of bodyKeepers) {
      const withBody = await digest.ask(protocol, { method: 'POST', body: '{"a":1}' });
      assert.equal(withBody.headers['countersign-content-digest'], contentDigest(Buffer.from('{"a":1}')));
      const without = await digest.ask(protocol, { method: 'DELETE' });
      assert.equal(without.headers['countersign-content-digest'], contentDigest(new Uint8Array(0)));
    }
  });

  test('unchecked: there is a warning at the start, and in the log line of each such request', async (t) => {
    const unchecked = await openScene({ from: ['127.0.0.1'], body: 'unchecked' });
    t.after(() => unchecked.running.close());
    const warnings = unchecked.lines.filter(({ level }) => level === 'warn');
    assert.deepEqual(
      warnings.map(({ authorizer }) => authorizer),
      protocols,
    );
    assert.ok(warnings.every(({ msg }) => String(msg).startsWith('DANGEROUS: ')));
    for (const protocol of bodyKeepers) {
      const kept = await unchecked.ask(protocol, { method: 'POST', body: '{"a":1}' });
      const none = await unchecked.ask(protocol, { method: 'DELETE' });
      const lineOf = ({ headers }: WireAnswer): unknown[] => {
        const id = headers['countersign-request-id'];
        const line = unchecked.lines.find(({ requestId }) => requestId === id);
        return [line?.['level'], line?.['isBodyUnchecked']];
      };
      assert.deepEqual(lineOf(kept), ['warn', true]);
      assert.deepEqual(lineOf(none), ['info', undefined]);
    }
  });
});
