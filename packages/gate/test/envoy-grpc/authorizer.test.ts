import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { contentDigest, type Signer } from '@countersign/signature/node';
import { apiBaseUrl, type RunningService, runService } from '@countersign/testing/running-service';
import { type Check, type CheckAnswer, EnvoyDouble } from './envoy-double.ts';

/** Asks as Envoy does over gRPC. `npm run test:proxies` runs Envoy itself. */
describe('the authorizer for envoy-grpc', () => {
  let running: RunningService;
  let envoy: EnvoyDouble;
  let signer: Signer;
  let clientId: string;
  before(async () => {
    running = await runService({
      COUNTERSIGN_AUTHORIZERS: JSON.stringify({ 'envoy-grpc': { from: ['127.0.0.1'] } }),
      COUNTERSIGN_API_BASE_URLS: apiBaseUrl,
      COUNTERSIGN_BODY_BYTES_MAX: '1000',
    });
    ({ signer, clientId } = await running.addClient({ roles: ['api-user'], network: ['198.51.100.0/24'] }));
    envoy = new EnvoyDouble(Number(new URL(running.service.authorizerGrpcAddress!).port));
  });
  after(async () => {
    envoy.close();
    await running.close();
  });

  const ask = (
    change: Check & { readonly more?: readonly (readonly [string, string])[] } = {},
  ): Promise<CheckAnswer> => {
    const { method = 'GET', path = '/orders?x=1', rawBody, more = [] } = change;
    const { headers } = signer.sign({ method, url: apiBaseUrl + path, body: rawBody });
    const lines = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
    return envoy.check({
      method,
      path,
      host: new URL(apiBaseUrl).host,
      sourceAddress: '198.51.100.7',
      lines: [...lines, ...more],
      ...change,
    });
  };
  const codeOf = ({ denied }: CheckAnswer): unknown =>
    denied && (JSON.parse(denied.body) as { code: string }).code;

  test('has a port of its own, and none over HTTP unless another protocol is configured', () => {
    assert.notEqual(running.service.authorizerGrpcAddress, undefined);
    assert.equal(running.service.authorizerAddress, undefined);
  });

  test('allows a signed request, says who sent it, and removes what a client may not send', async () => {
    const { ok } = await ask({ more: [['countersign_client_id', 'evil']] });
    const headers = new Map(ok!.headers.map(([name, value]) => [name, value]));
    assert.equal(headers.get('countersign-client-id'), clientId);
    assert.equal(headers.get('x-forwarded-for'), '198.51.100.7');
    assert.deepEqual(ok!.remove, ['countersign_client_id']);
  });

  test('verifies a body of any bytes, and with the framing that Envoy took away', async () => {
    const rawBody = Buffer.from([0, 255, 128]);
    assert.notEqual((await ask({ method: 'POST', rawBody })).ok, undefined);
    const announced = [['content-length', '4']] as const;
    assert.equal(codeOf(await ask({ method: 'POST', rawBody, more: announced })), 'body_unseen');
  });

  test('refuses what the gateway refuses', async () => {
    const { headers } = signer.sign({ method: 'GET', url: `${apiBaseUrl}/orders` });
    const date = headers['Date']!;
    const cases: readonly (readonly [Parameters<typeof ask>[0], string])[] = [
      [{ lines: [] }, 'signature_missing'],
      [{ host: 'evil.example' }, 'request_malformed'],
      [{ more: [['host', 'shop.example.test']] }, 'request_malformed'],
      [{ more: [['date', date]] }, 'date_invalid'],
      [{ more: [['signature', 'sig=:AAAA:']] }, 'signature_missing'],
      [{ sourceAddress: '203.0.113.1' }, 'network_not_allowed'],
      [{ sourceAddress: '203.0.113.1', more: [['x-forwarded-for', '198.51.100.7']] }, 'network_not_allowed'],
      [{ path: '/orders/a%2Fb' }, 'path_ambiguous'],
      [{ method: 'POST', rawBody: Buffer.alloc(1001) }, 'body_too_large'],
      [{ more: [['x-envoy-auth-partial-body', 'true']] }, 'body_unseen'],
    ];
    for (const [change, code] of cases) {
      const answer = await ask(change);
      assert.equal(codeOf(answer), code, JSON.stringify(change));
      assert.deepEqual(
        answer.denied!.headers.filter(([name]) => name.startsWith('countersign-')),
        [],
      );
    }
    const body = Buffer.from('{"a":1}');
    const lines = Object.entries(
      signer.sign({ method: 'POST', url: `${apiBaseUrl}/orders?x=1`, body }).headers,
    );
    const other = { method: 'POST', rawBody: Buffer.from('{"a":2}') };
    assert.notEqual(contentDigest(body), contentDigest(other.rawBody));
    const changed = await ask({
      ...other,
      lines: lines.map(([name, value]) => [name.toLowerCase(), value] as const),
    });
    assert.equal(codeOf(changed), 'digest_mismatch');
  });

  test('stops with the service', async () => {
    const short = await runService({
      COUNTERSIGN_AUTHORIZERS: JSON.stringify({ 'envoy-grpc': { from: ['127.0.0.1'] } }),
      COUNTERSIGN_API_BASE_URLS: apiBaseUrl,
    });
    const caller = new EnvoyDouble(Number(new URL(short.service.authorizerGrpcAddress!).port));
    assert.equal(codeOf(await caller.check({ lines: [] })), 'request_malformed');
    await short.close();
    await caller.ended();
    await assert.rejects(caller.check({ lines: [] }));
  });
});
