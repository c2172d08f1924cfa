import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Admission, RequestHead, Route, WaitingClient } from '@countersign/gate';
import { createKeyDirectory } from '../../src/pages/key-directory.ts';
import { StorageError } from '../../src/storage/storage-error.ts';

const path = '/.well-known/http-message-signatures-directory';
const head = { method: 'GET', path, hasBody: false } as RequestHead;

async function answerOf(route: Route | undefined): Promise<unknown> {
  const admission = (await route!.admit(head)) as Admission;
  return admission.answer(Buffer.alloc(0), {} as WaitingClient);
}

test('the directory of keys is unavailable, and not empty, while storage is', async () => {
  const find = createKeyDirectory(() => Promise.reject(new StorageError('unavailable', 'it is away')));
  await assert.rejects(answerOf(find(head)), { name: 'ProblemError', code: 'storage_unavailable' });
});

test('the directory of keys leaves everything else to others', () => {
  const find = createKeyDirectory(async () => []);
  for (const other of [{ path: `${path}/` }, { path: '/' }, { method: 'POST' }, { hasBody: true }])
    assert.equal(find({ ...head, ...other } as RequestHead), undefined);
});
