import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import * as web from '../../packages/signature/src/index.ts';
import * as node from '../../packages/signature/src/node.ts';
import { readerFolder } from './reader-folder.ts';
import { readDocument, runBlock, testBlocks } from './run-block.ts';

const path = 'packages/signature/README.md';
const { text } = readDocument(path);
const [sign, verify, messages, keys, ...others] = testBlocks(path);

describe(path, () => {
  const { folder, remove } = readerFolder();
  after(remove);
  const outputOf = async (block: typeof sign): Promise<string[]> => {
    const { exitCode, output, errors } = await runBlock(block!, folder);
    assert.equal(exitCode, 0, errors);
    return output.trim().split('\n');
  };

  it('has an example of signing that signs', async () => {
    const [first, ...base] = await outputOf(sign);
    const names = 'Content-Digest Date Signature-Input Signature';
    assert.equal(first, `POST https://api.example.com/v1/payments ${names} 52`);
    assert.equal(base.length, 5);
    assert.match(base[4] ?? '', /^"@signature-params": .*keyid="client_01m7xpht4ya6hy6swme76qzc7p"/);
  });

  it('has an example of verifying that refuses, accepts, and refuses the repetition', async () => {
    assert.deepEqual(await outputOf(verify), [
      'refused: signature_invalid',
      'accepted from shop',
      'refused: signature_replayed',
    ]);
  });

  it('has an example of another profile that signs, rejects, accepts, and rejects the repetition', async () => {
    const [input, ...outcomes] = await outputOf(messages);
    assert.match(
      input ?? '',
      /^sig=\("@method" "@target-uri" "content-digest"\);created=\d+;keyid="wallet-1";nonce="[\w+/=]+";tag="gnap"$/,
    );
    assert.deepEqual(outcomes, [
      'signature_invalid',
      'wallet-1 @method @target-uri content-digest',
      'signature_replayed',
    ]);
  });

  it('has an example of keys that refuses a private key', async () => {
    const [first, second, ...rest] = await outputOf(keys);
    assert.match(first ?? '', /^2048 SHA256:[A-Za-z0-9+/]{43}$/);
    assert.equal(second, 'false private_key');
    assert.deepEqual([...rest, ...others], []);
  });

  it('is right that both entry points have the same names', () => {
    // In addition, the entry for Node exports Node-only functions: hashing synchronously, signing in its thread pool,
    // and what a service needs for decisions of its own.
    const onlyNode = Object.keys(node).filter((name) => !Object.hasOwn(web, name));
    assert.deepEqual(onlyNode, [
      'createAsyncBaseSigner',
      'createAsyncSigner',
      'isSafeToRepeat',
      'jwkThumbprint',
      'keyObjectThumbprint',
      'readSigningKey',
      'replayId',
      'signatureBaseLengthMax',
      'usedSignature',
    ]);
    assert.deepEqual(
      Object.keys(web).filter((name) => !Object.hasOwn(node, name)),
      [],
    );
  });

  it('has the codes of a SigningError', () => {
    const codes: Record<node.SigningErrorCode, true> = {
      keyid_invalid: true,
      private_key_invalid: true,
      request_invalid: true,
      body_too_large: true,
      too_many_equal_requests: true,
      repeat_not_signed: true,
      already_signed: true,
      signing_failed: true,
    };
    for (const code of Object.keys(codes)) assert.ok(text.includes(`\`${code}\``), code);
  });
});
