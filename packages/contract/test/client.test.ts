import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type ApiAnswer,
  type ApiClient,
  ApiError,
  type AuditEvent,
  type Client,
  createClient,
  openApiDocument,
  type OperationId,
  operations,
  type Page,
} from '@countersign/contract';

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string;
  readonly redirect: string | undefined;
}

/** A client whose requests go nowhere; each gets the given response. */
function recorded(answer: () => Response = () => Response.json({})): { api: ApiClient; sent: Sent[] } {
  const sent: Sent[] = [];
  const api = createClient({
    baseUrl: 'https://api.example.test',
    signer: {
      sign: ({ method, url, body }) => ({
        url,
        body: body === undefined ? undefined : new TextEncoder().encode(body),
        headers: { Signature: `of ${method} ${url}` },
      }),
    },
    fetch: async (input, init) => {
      const { url, method, headers, body } = new Request(input, init);
      sent.push({
        url,
        method,
        headers,
        body: body === null ? '' : await new Response(body).text(),
        redirect: init?.redirect,
      });
      return answer();
    },
  });
  return { api, sent };
}

/** The same as each function takes it, when nothing is known of the operation. */
type AnyCall = (input: object) => Promise<ApiAnswer>;

describe('the client: what fails', () => {
  const refusal = (body: object, headers: Record<string, string> = {}, status = 403): (() => Response) => {
    const type = { 'Content-Type': 'application/problem+json' };
    return () => new Response(JSON.stringify(body), { status, headers: { ...type, ...headers } });
  };
  const failure = async (answer: () => Response): Promise<ApiError> => {
    const error: unknown = await recorded(answer)
      .api.getWhoami()
      .catch((reason: unknown) => reason);
    assert.ok(error instanceof ApiError);
    return error;
  };

  test('a refusal is an ApiError with its code and all that it says', async () => {
    const problem = {
      type: 'https://api.example.test/docs/errors#rate_limited',
      title: 'Too much',
      status: 429,
      detail: 'Wait.',
      code: 'rate_limited',
      reason: 'the limit',
    };
    const error = await failure(refusal(problem, { 'Retry-After': '7', 'Request-Id': 'request_1' }, 429));
    assert.equal(error.code, 'rate_limited');
    assert.equal(error.status, 429);
    assert.equal(error.retryAfterSeconds, 7);
    assert.equal(error.requestId, 'request_1');
    assert.equal(error.message, 'Too much (the limit). Wait.');
    assert.deepEqual(error.problem, problem);
  });

  test('a code that a newer service has is told as such', async () => {
    for (const code of ['from_the_future', 'toString', '__proto__']) {
      const error = await failure(refusal({ title: 'New', detail: 'Do.', code }));
      assert.equal(error.code, 'problem_unknown');
      assert.equal(error.problem?.code, code);
    }
  });

  test('what is none of this API is not taken for an answer', async () => {
    const answers = [
      () => new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'Content-Type': 'text/html' } }),
      () => new Response('{"code":"not_found","title":"x","detail":"y"}', { status: 404 }),
      refusal({ code: 7, title: 'x', detail: 'y' }),
      refusal({ code: 'not_found', title: 'x' }),
      refusal([]),
      () => new Response('{', { status: 403, headers: { 'Content-Type': 'application/problem+json' } }),
      () => new Response('welcome', { status: 200 }),
    ];
    for (const answer of answers) {
      const error = await failure(answer);
      assert.equal(error.code, 'answer_unreadable');
      assert.equal(error.problem, undefined);
    }
  });

  test('a path without a value, or with dots, is not sent', async () => {
    const { api, sent } = recorded();
    for (const clientId of ['', '.', '..', undefined as unknown as string])
      await assert.rejects(api.getClient({ path: { clientId } }), /getClient needs path\.clientId/);
    await assert.rejects((api.getClient as AnyCall)({}), TypeError);
    assert.equal(sent.length, 0);
  });

  test('what fetch and the signer throw is passed on as it is', async () => {
    const fault = new Error('no network');
    const signer = { sign: () => ({ url: 'x', body: undefined, headers: {} }) };
    const unreachable = createClient({ baseUrl: 'x', signer, fetch: () => Promise.reject(fault) });
    await assert.rejects(unreachable.getWhoami(), fault);
    const unsigned = createClient({ baseUrl: 'x', signer: { sign: () => Promise.reject(fault) } });
    await assert.rejects(unsigned.getWhoami(), fault);
  });
});

describe('the client: what it sends', () => {
  test('it has exactly the operations of the table, and calls them as the OpenAPI document says', async () => {
    const { api, sent } = recorded();
    const signed = Object.values(operations).filter(({ callers }) => callers !== 'people');
    assert.deepEqual(Object.keys(api).toSorted(), signed.map(({ id }) => id).toSorted());
    const { paths } = openApiDocument({ serverUrls: [] });
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { operationId, parameters = [] }] of Object.entries(methods)) {
        if (operations[operationId as OperationId].callers === 'people') continue;
        const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
        const values = Object.fromEntries(names.map((name) => [name, `of-${name}`]));
        await (api[operationId as keyof typeof api] as AnyCall)({ path: values });
        const { url, method: called, redirect } = sent.at(-1)!;
        assert.equal(called, method.toUpperCase(), operationId);
        assert.equal(url, `https://api.example.test${path.replaceAll(/\{(\w+)\}/g, 'of-$1')}`);
        assert.equal(redirect, 'error');
        assert.ok(parameters.length >= names.length);
      }
    }
    assert.equal(sent.length, signed.length);
  });

  test('path and query are encoded, the body is JSON, and the signature is of just that', async () => {
    const { api, sent } = recorded();
    await api.removeNetworkEntry({ path: { clientId: 'a/b?c#d', entry: '203.0.113.0/24' }, ifMatch: '"7"' });
    await api.listClients({ query: { search: 'a&b=c +', limit: 5, status: undefined } });
    await api.addRole({ body: { name: 'é', permissions: ['payments:read'] }, idempotencyKey: 'once' });
    const [removal, listing, addition] = sent;
    assert.equal(
      removal?.url,
      'https://api.example.test/v1/clients/a%2Fb%3Fc%23d/network-whitelist/203.0.113.0%2F24',
    );
    assert.equal(removal.headers.get('If-Match'), '"7"');
    assert.equal(removal.headers.get('Content-Type'), null);
    assert.equal(listing?.url, 'https://api.example.test/v1/clients?search=a%26b%3Dc%20%2B&limit=5');
    assert.equal(listing.headers.get('Signature'), `of GET ${listing.url}`);
    assert.equal(addition?.body, '{"name":"é","permissions":["payments:read"]}');
    assert.equal(addition.headers.get('Content-Type'), 'application/json');
    assert.equal(addition.headers.get('Idempotency-Key'), 'once');
  });

  test('an answer comes with its state and its name; an export as text', async () => {
    const headers = { ETag: '"3"', 'Request-Id': 'request_2' };
    const { api } = recorded(() => new Response('{"data":[]}\n', { status: 200, headers }));
    const page = await api.listAuditEvents({ query: { format: 'json' } });
    assert.deepEqual(page.body, { data: [] });
    assert.deepEqual([page.status, page.entityTag, page.requestId], [200, '"3"', 'request_2']);
    const text = await api.listAuditEvents({ query: { format: 'ndjson', from: '2026-11-21T12:00:00Z' } });
    assert.equal(text.body, '{"data":[]}\n');
  });
});

// Types that the compiler must accept and reject; none of this runs.
export async function typesOf(api: ApiClient): Promise<void> {
  const client: ApiAnswer<Client> = await api.getClient({ path: { clientId: 'x' } });
  const events: ApiAnswer<Page<AuditEvent>> = await api.listAuditEvents();
  const rows: ApiAnswer<string> = await api.listAuditEvents({ query: { format: 'csv' } });
  await api.retireKey({ path: { clientId: 'x', keyId: 'y' } });
  await api.updateClient({ path: { clientId: 'x' }, body: {}, ifMatch: client.entityTag ?? '*' });
  await api.testNetworkAddress({ path: { clientId: 'x' }, query: { address: rows.body } });
  // @ts-expect-error The path is needed.
  await api.getClient();
  // @ts-expect-error This operation has another parameter.
  await api.getClient({ path: { keyId: events.requestId ?? '' } });
  // @ts-expect-error If-Match is needed.
  await api.updateClient({ path: { clientId: 'x' }, body: {} });
  // @ts-expect-error The body is needed.
  await api.extendKey({ path: { clientId: 'x', keyId: 'y' } });
  // @ts-expect-error The address is needed.
  await api.testNetworkAddress({ path: { clientId: 'x' } });
  // @ts-expect-error There is no such state.
  await api.listClients({ query: { status: 'gone' } });
  // @ts-expect-error A list has no body.
  await api.listClients({ body: {} });
  // @ts-expect-error an operation that reads takes no Idempotency-Key.
  await api.listClients({ idempotencyKey: 'x' });
  // @ts-expect-error No such member.
  await api.addRole({ body: { name: 'x', permissions: [], more: 1 } });
}
