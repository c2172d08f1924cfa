import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  defineProfile,
  type MessageRefusal,
  type VerifiedMessage,
  verifyingKey,
  verifyMessage,
} from '@countersign/signature/messages/node';
import type { Admission, Answer, RequestHead, Route, WaitingClient } from '@countersign/gate';
import { baseUrl, runService } from '@countersign/testing/running-service';
import { makeOwnKey, type OwnKey } from '../../src/forwarding/own-key.ts';
import { createKeyDirectory, type DirectoryKeys } from '../../src/pages/key-directory.ts';
import { StorageError } from '../../src/storage/storage-error.ts';

const path = '/.well-known/http-message-signatures-directory';
const targetUri = `https://Auth.Example.test:443${path}`;
const head = { method: 'GET', path, targetUri, hasBody: false } as RequestHead;
const nowMs = Date.UTC(2026, 0, 1);

/** The domain binding of draft-meunier-webbotauth-httpsig-protocol, for the signature with a label. */
const bindingProfile = (label: string): ReturnType<typeof defineProfile> =>
  defineProfile({
    id: 'directory',
    title: 'A signed directory of keys',
    message: 'response',
    select: { label, tag: 'http-message-signatures-directory' },
    components: {
      required: [{ identifier: '"@authority";req' }, { identifier: 'content-digest' }],
      others: 'none',
    },
    parameters: {
      created: 'required',
      expires: 'required',
      keyid: 'required',
      alg: 'required',
      tag: 'required',
    },
    algorithms: ['ed25519'],
    time: { maxFutureSeconds: 0 },
    replay: 'off',
    digests: ['sha-256'],
  });

function keysOf(published: readonly OwnKey[], own: readonly OwnKey[] = published): DirectoryKeys {
  return { published: async () => published, own: () => own, nowMs: () => nowMs };
}

async function answerOf(route: Route | undefined): Promise<Answer> {
  const admission = (await route!.admit(head)) as Admission;
  return admission.answer(Buffer.alloc(0), {} as WaitingClient);
}

interface Received {
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
}

async function directoryOf(keys: DirectoryKeys): Promise<Received> {
  const { headers = {}, bytes } = await answerOf(createKeyDirectory(keys)(head));
  return { headers: Object.entries(headers) as [string, string][], body: bytes as Uint8Array };
}

function newKey(endsInSeconds = 3600): OwnKey {
  return { ...makeOwnKey(nowMs), endsAtMs: nowMs + endsInSeconds * 1000 };
}

/** Verifies the signature with a label, with the key that the directory has for it. */
function verify(
  received: Received,
  { label = 'binding', uri = targetUri, afterSeconds = 0 } = {},
): Promise<VerifiedMessage | MessageRefusal> {
  const { keys } = JSON.parse(Buffer.from(received.body).toString()) as { keys: { kid: string }[] };
  return verifyMessage(
    { status: 200, ...received, request: { method: 'GET', targetUri: uri, headers: [] } },
    {
      profile: bindingProfile(label),
      keysFor: ({ keyid }) => keys.filter(({ kid }) => kid === keyid).map((jwk) => verifyingKey({ ...jwk })),
      nowSeconds: () => nowMs / 1000 + afterSeconds,
    },
  );
}

function codeOf(outcome: VerifiedMessage | MessageRefusal): string {
  return outcome.ok ? 'ok' : outcome.code;
}

test('the directory of keys is unavailable, and not empty, while storage is', async () => {
  const keys = keysOf([]);
  const published = (): Promise<never> => Promise.reject(new StorageError('unavailable', 'it is away'));
  const find = createKeyDirectory({ ...keys, published });
  await assert.rejects(answerOf(find(head)), { name: 'ProblemError', code: 'storage_unavailable' });
});

test('the directory of keys leaves everything else to others', () => {
  const find = createKeyDirectory(keysOf([]));
  for (const other of [{ path: `${path}/` }, { path: '/' }, { method: 'POST' }, { hasBody: true }])
    assert.equal(find({ ...head, ...other }), undefined);
});

describe('the signature of a directory', () => {
  test('is valid for no other host, for no other keys, and not after its end', async () => {
    const received = await directoryOf(keysOf([newKey()]));
    const other = await directoryOf(keysOf([newKey()]));
    assert.equal(
      codeOf(await verify(received, { uri: `https://evil.example.test${path}` })),
      'signature_invalid',
    );
    assert.equal(codeOf(await verify({ ...received, body: other.body })), 'signature_invalid');
    const changed = Buffer.from(`${Buffer.from(received.body).toString()} `);
    assert.equal(codeOf(await verify({ ...received, body: changed })), 'digest_mismatch');
    assert.equal(codeOf(await verify(received, { afterSeconds: 301 })), 'signature_expired');
    assert.equal(codeOf(await verify(received, { afterSeconds: 299 })), 'ok');
    // The authority as it is normalized.
    assert.equal(codeOf(await verify(received, { uri: `https://auth.example.test${path}` })), 'ok');
  });

  test('is one of each key of this node, and of no other', async () => {
    const [present, next, ofOtherNode, unpublished] = [newKey(), newKey(), newKey(), newKey()];
    const received = await directoryOf(keysOf([present, ofOtherNode, next], [present, next, unpublished]));
    const keyids = [];
    for (const label of ['binding', 'binding2']) {
      const outcome = await verify(received, { label });
      keyids.push(outcome.ok ? outcome.keyid : outcome.code);
    }
    assert.deepEqual(keyids, [present.keyid, next.keyid]);
    assert.equal(codeOf(await verify(received, { label: 'binding3' })), 'signature_not_selected');
  });

  test('ends no later than its key', async () => {
    const received = await directoryOf(keysOf([newKey(120)]));
    assert.equal(codeOf(await verify(received, { afterSeconds: 121 })), 'signature_expired');
  });

  test('is absent without a key, and in the response to HEAD', async () => {
    const names = async (keys: DirectoryKeys, method: string): Promise<string[]> => {
      const admission = (await createKeyDirectory(keys)({ ...head, method })!.admit(head)) as Admission;
      const { headers } = await admission.answer(Buffer.alloc(0), {} as WaitingClient);
      return Object.keys(headers!);
    };
    assert.deepEqual(await names(keysOf([newKey()], []), 'GET'), ['Content-Type', 'Cache-Control']);
    assert.deepEqual(await names(keysOf([newKey()]), 'HEAD'), ['Content-Type', 'Cache-Control']);
  });

  test('comes from a running service, for the URL of its console', async (t) => {
    const running = await runService({
      COUNTERSIGN_UPSTREAM: 'http://127.0.0.1:9',
      COUNTERSIGN_SIGN_FORWARDED: 'yes',
    });
    t.after(() => running.close());
    const { headers, text } = await running.send({ method: 'GET', url: path });
    const lines = Object.entries(headers) as [string, string][];
    const { keys } = JSON.parse(text) as { keys: object[] };
    const verified = await verifyMessage(
      {
        status: 200,
        headers: lines,
        body: Buffer.from(text),
        request: { method: 'GET', targetUri: baseUrl + path, headers: [] },
      },
      { profile: bindingProfile('binding'), keysFor: () => keys.map((jwk) => verifyingKey({ ...jwk })) },
    );
    assert.equal(codeOf(verified), 'ok');
    assert.equal(headers['content-type'], 'application/http-message-signatures-directory+json');
  });
});
