import assert from 'node:assert/strict';
import { type ProblemCode, problems } from '@countersign/contract';
import { readHttpDate } from '@countersign/signature/node';
import type { RawAnswer } from '../network/raw-connection.ts';
import { baseUrl } from '../service/running-service.ts';

/** The page that `type` leads to, in services under test. */
export const errorsPage: string = `${baseUrl}/docs/errors`;

const members = new Set([
  'type',
  'title',
  'status',
  'detail',
  'code',
  'reason',
  'expected',
  'received',
  'errors',
  'requestId',
  'serverTime',
]);

/**
 * Fails unless a response is the complete rejection with this code (docs/profile.md section 2.2). Returns its
 * members.
 */
export function assertRefusal(
  { status, headers, text }: RawAnswer,
  code: ProblemCode,
): Record<string, unknown> {
  const document = JSON.parse(text) as Record<string, unknown>;
  const problem = problems[code];
  const { type, title, detail, requestId, serverTime, ...others } = document;
  assert.equal(document['code'], code);
  assert.deepEqual(
    { type, title, detail },
    { type: `${errorsPage}#${code}`, title: problem.title, detail: problem.detail },
  );
  assert.equal(status, problem.status);
  assert.equal(document['status'], status);
  assert.match(String(requestId), /^request_[0-9a-hjkmnp-tv-z]{26}$/);
  for (const name of Object.keys(others)) assert.ok(members.has(name), `the member ${name} is in no table`);

  assert.equal(headers['request-id'], requestId);
  assert.equal(headers['content-type'], 'application/problem+json');
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.notEqual(readHttpDate(headers['date'] ?? ''), undefined, 'every answer has Date');
  assert.equal(headers['www-authenticate'], status === 401 ? `Signature error="${code}"` : undefined);
  assert.equal('accept-signature' in headers, status === 401);
  assert.equal('retry-after' in headers, status === 503);

  const isAboutTime = [
    'created_expired',
    'created_in_future',
    'signature_expired',
    'date_invalid',
    'date_mismatch',
  ].includes(code);
  assert.equal(serverTime !== undefined, isAboutTime, 'codes about time tell the time, others do not');
  return document;
}
