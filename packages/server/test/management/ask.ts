import {
  type OperationId,
  operations,
  operationSchemas,
  type Permission,
  type ProblemCode,
} from '@countersign/contract';
import assert from 'node:assert/strict';
import type { Api } from '../../src/api/api.ts';
import type { Answer } from '@countersign/gate';
import type { PersonCaller } from '../../src/people/sessions/person-caller.ts';
import type { ApiRequest } from '../../src/api/handler.ts';
import { ProblemError } from '../../../gate/src/http/problem-error.ts';

/** A person of an account who may do everything. */
export function personOf(accountId: string, caller: Partial<PersonCaller> = {}): PersonCaller {
  return {
    kind: 'person',
    person: { userId: 'person_1', name: 'Ada', email: 'ada@example.com' },
    sessionId: 'session_1',
    hasSecondFactor: true,
    memberRole: 'owner',
    actingReason: undefined,
    accountId,
    permissions: new Set<Permission>(),
    sourceAddress: '203.0.113.7',
    ...caller,
  };
}

/** Asks an operation that reads, as the gateway does for a person that it has let in. */
export async function ask(
  api: Api,
  operationId: OperationId,
  request: Partial<ApiRequest> & Pick<ApiRequest, 'caller'>,
): Promise<Answer> {
  const { method, path } = operations[operationId];
  const match = api.find(method, path);
  assert.ok('handler' in match);
  const answer = await match.handler({
    operation: match.operation,
    parameters: {},
    query: '',
    header: () => undefined,
    body: new Uint8Array(0),
    verified: () => assert.fail('the request of a person has no signature'),
    isStillAdmitted: async () => true,
    requestId: 'request_1',
    nowMs: Date.now(),
    ...request,
  });
  if (answer.stream === undefined) {
    const parsed = operationSchemas[operationId].answer.safeParse(answer.body);
    assert.ok(parsed.success, `${operationId}: ${parsed.error?.message}`);
  }
  return answer;
}

/** Sends a request that must be rejected with a code; returns the detail. */
export async function refusedTo(asking: Promise<Answer>, code: ProblemCode): Promise<string> {
  const error: unknown = await asking.then(
    () => assert.fail(`this should have been refused as ${code}`),
    (refusal: unknown) => refusal,
  );
  assert.ok(error instanceof ProblemError, String(error));
  assert.equal(error.code, code);
  const { reason } = error.members;
  return typeof reason === 'string' ? reason : '';
}
