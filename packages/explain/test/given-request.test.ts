import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { explainGiven, portableHashes, portableSha256 } from '../src/index.ts';
import { createSigner } from '../../signature/src/node.ts';

const pair = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const signer = createSigner({ keyid: 'client_1', privateKey: pair.privateKey });
const created = 1_700_000_000;
const means = { nowSeconds: created + 1, sha256: portableSha256, hashes: portableHashes };
const signed = signer.sign({ method: 'POST', url: 'https://a.example/one', body: '{}' }, { created });
const headers = Object.entries(signed.headers).map(([name, value]): [string, string] => [name, value]);
const request = { method: 'POST', targetUri: 'https://a.example/one', headers, body: signed.body };
const key = {
  spkiPem: pair.publicKey,
  fingerprint: 'sha256:1',
  clientId: 'client_1',
  keyState: 'active' as const,
};

describe('explaining what is at hand', () => {
  it('without a key: never valid, the signature is not reached, the body is checked', () => {
    const { conclusion } = explainGiven(request, [], means);
    assert.equal(conclusion.verdict, 'undecided');
    assert.deepEqual(
      conclusion.checks
        .filter(({ name }) => name === 'signature' || name === 'body')
        .map(({ state }) => state),
      ['not-reached', 'passed'],
    );
    assert.deepEqual(conclusion.findings, []);
    const other = explainGiven({ ...request, body: new TextEncoder().encode('{ }') }, [], means);
    assert.equal(other.conclusion.verdict, 'refused');
    assert.equal(other.conclusion.checks.at(-1)?.facts['code'], 'digest_mismatch');
  });

  it('with the key: a wrong URL is proved with hashes that every runtime has', () => {
    const { conclusion } = explainGiven({ ...request, targetUri: 'http://a.example/one' }, [key], means);
    assert.deepEqual(
      conclusion.findings.map(({ code, certainty }) => `${code} ${certainty}`),
      ['url_scheme proven'],
    );
    assert.equal(explainGiven(request, [key], means).conclusion.verdict, 'valid');
  });

  it('a newline at the end of the claimed base is taken off where nothing tells that it was signed', () => {
    const { base } = explainGiven(request, [key], means).conclusion;
    assert.ok(base !== undefined);
    const claimed = explainGiven(request, [], { ...means, claimedBase: `${base}\n` });
    assert.ok(claimed.isClaimTrimmed);
    assert.deepEqual(claimed.conclusion.findings, []);
    const known = explainGiven(request, [key], { ...means, claimedBase: `${base}\n` });
    assert.equal(known.isClaimTrimmed, false);
    assert.equal(known.conclusion.verdict, 'valid');
  });
});
