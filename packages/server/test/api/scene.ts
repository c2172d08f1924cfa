import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { NetworkWhitelist, type Payment, type ProblemCode } from '@countersign/contract';
import type { Answer } from '@countersign/gate';
import type { Backend } from '@countersign/testing/backend';
import type { RegisteredClient, UsableKey } from '../../../gate/src/registry.ts';
import { addAccount } from '../../src/registry/store/accounts.ts';
import { addClient } from '../../src/registry/store/clients.ts';
import type { StoreContext } from '../../src/registry/store/context.ts';
import type { Database } from '../../src/storage/transaction.ts';
import type { Api } from '../../src/api/api.ts';
import { apiOn } from './api-on.ts';
import { ProblemError } from '../../../gate/src/http/problem-error.ts';

/** One call of the API, past the checks. */
export interface Call {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text or bytes as they are, or a value that is sent as JSON. */
  readonly body?: string | Uint8Array | object;
  readonly client?: RegisteredClient;
}

/** The API on an empty database, with two clients of one account and one of another, and a clock that is set. */
export interface Scene {
  readonly api: Api;
  readonly database: Database;
  readonly clock: { nowMs: number };
  readonly shop: RegisteredClient;
  readonly colleague: RegisteredClient;
  readonly stranger: RegisteredClient;
  readonly call: (call: Call) => Promise<Answer>;
  /** Creates a payment and returns it. */
  readonly create: (body?: object, call?: Call) => Promise<Payment>;
}

/** A body that is accepted. */
export const goodBody = { amount: 1250, currency: 'EUR', reference: 'Invoice 2021-04' };

/** Sets up a scene that is removed when the test ends. */
export async function openScene(make: Backend['make'], t: TestContext): Promise<Scene> {
  const { database } = await make(t);
  const clock = { nowMs: Date.parse('2026-11-20T12:00:00.000Z') };
  const context: StoreContext = {
    nowMs: clock.nowMs,
    keyPolicy: {},
    actor: { kind: 'operator-cli', id: 'tester' },
  };
  const { accountId } = await addAccount(database, { name: 'Example account' }, context);
  const { accountId: otherAccountId } = await addAccount(database, { name: 'Other account' }, context);
  const client = async (clientId: string, account: string): Promise<RegisteredClient> => {
    const record = { accountId: account, clientId, name: clientId, network: ['0.0.0.0'], roles: [] };
    await addClient(database, record, context);
    return {
      clientId,
      accountId: account,
      name: clientId,
      status: 'active',
      profile: 'countersign',
      allowExplanations: false,
      keys: [],
      network: NetworkWhitelist.fromTexts(['0.0.0.0']),
      roles: ['payments-operator'],
      permissions: new Set(['payments:write', 'payments:read'] as const),
    };
  };
  const api = apiOn(database);
  const shop = await client('shop', accountId);
  const call = async (options: Call): Promise<Answer> => {
    const { method = 'GET', path = '/v1/payments', query = '', headers = {}, body = '' } = options;
    const { client: caller = shop } = options;
    const match = api.find(method, path);
    if ('problem' in match) throw new ProblemError(match.problem);
    const isBytes = typeof body === 'string' || body instanceof Uint8Array;
    return match.handler({
      operation: match.operation,
      parameters: match.parameters,
      query,
      nowMs: clock.nowMs,
      requestId: 'request_1',
      header: (name) =>
        headers[name] ?? (name === 'content-type' && body !== '' ? 'application/json' : undefined),
      verified: () => assert.fail('nothing was verified'),
      body: isBytes ? Buffer.from(body as string) : Buffer.from(JSON.stringify(body)),
      caller: {
        kind: 'client',
        client: caller,
        accountId: caller.accountId,
        permissions: caller.permissions,
        key: { keyId: 'key_1', fingerprint: `SHA256:${'A'.repeat(43)}` } as UsableKey,
        sourceAddress: '203.0.113.7',
        clockDifferenceSeconds: -3,
      },
    });
  };
  return {
    api,
    database,
    clock,
    shop,
    call,
    colleague: await client('colleague', accountId),
    stranger: await client('stranger', otherAccountId),
    create: async (body = goodBody, options = {}) =>
      (await call({ ...options, method: 'POST', body })).body as Payment,
  };
}

/** Checks that a call is rejected with a code, and returns the other members of the problem document. */
export async function refusal(
  running: Promise<unknown>,
  code: ProblemCode,
): Promise<
  Readonly<Record<string, unknown>> & { errors?: { pointer: string; detail: string }[]; reason?: string }
> {
  try {
    await running;
  } catch (error) {
    assert.ok(error instanceof ProblemError, String(error));
    assert.equal(error.code, code);
    return error.members;
  }
  return assert.fail(`accepted, and ${code} was expected`);
}
