import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AlgorithmName } from '@countersign/signature';
import { rsaOperationsIn, verificationsIn } from '../../packages/signature/test/crypto-operations.ts';
import { CroppedSamples, croppingLimits } from './cropped-samples.ts';
import { certain } from './measure.ts';
import { type ClientKind, clientKinds, clientKindsOf } from './clients.ts';
import { openHttpScene } from './over-http.ts';
import { openScene, type Scene } from './scene.ts';

/*
 * `npm run test:timing` measures time, which a busy machine distorts. This test instead counts the
 * operations that take the time.
 */

const rsa = 'rsa-v1_5-sha256';
let scene: Scene;
before(async () => {
  scene = await openScene({ algorithm: rsa, clients: 1, bystanders: 1 });
});
after(() => scene.close());

/** Returns the sizes of the keys of some work's RSA operations, and asserts that OpenSSL skipped none. */
function operationsIn(work: () => void): readonly number[] {
  return rsaOperationsIn(work).map(({ modulus, signature }) => {
    assert.ok(Buffer.compare(signature, modulus) < 0);
    return modulus.length;
  });
}

function operationsFor(kind: ClientKind, signature: Uint8Array): readonly number[] {
  const decideRequest = scene.prepare(kind, 0, signature);
  return operationsIn(() => assert.equal(decideRequest()?.code, 'signature_invalid'));
}

describe('a request that fails check 8 costs two RSA operations of its size', () => {
  for (const kind of clientKinds) {
    test(`of a client: ${kind}`, () => {
      for (const make of Object.values(scene.signatures)) {
        const signature = make();
        // The first signature of a size makes its decoys.
        operationsFor('unknown', signature);
        for (let count = 0; count < 20; count++)
          assert.deepEqual(operationsFor(kind, signature), [signature.length, signature.length]);
      }
    });
  }

  test('and none if no key may be as large', () => {
    for (const kind of clientKinds)
      for (const bytes of [0, 255, 1025, 2000])
        assert.deepEqual(operationsFor(kind, new Uint8Array(bytes)), []);
  });
});

const keysOnCurves = {
  ed25519: 'ed25519',
  'ecdsa-p256-sha256': 'ec prime256v1',
  'ecdsa-p384-sha384': 'ec secp384r1',
} as const;

describe('a request that fails check 8 costs two verifications on its curve', () => {
  for (const [algorithm, key] of Object.entries(keysOnCurves) as [AlgorithmName, string][])
    test(algorithm, async () => {
      const onCurve = await openScene({ algorithm, clients: 1, bystanders: 1 });
      try {
        for (const kind of clientKindsOf(algorithm))
          for (const make of Object.values(onCurve.signatures)) {
            const decideRequest = onCurve.prepare(kind, 0, make());
            const work = (): void => assert.equal(decideRequest()?.code, 'signature_invalid');
            assert.deepEqual(verificationsIn(work), [key, key], kind);
          }
      } finally {
        await onCurve.close();
      }
    });
});

describe('a stranger over HTTP', () => {
  test('gets the same response for every kind of client, but for its ID and time', async () => {
    const http = await openHttpScene({ algorithm: rsa, clients: 1, bystanders: 1 });
    try {
      const responses = [];
      for (const kind of clientKinds) responses.push(await http.send(kind, 0));
      const [first, ...others] = responses.map((response) =>
        response.replaceAll(/request_\w+/g, '').replace(/^date: .*$/im, ''),
      );
      assert.match(first!, /"code":"signature_invalid"/);
      for (const other of others) assert.equal(other, first);
    } finally {
      await http.close();
    }
  });
});

describe('the measurement', () => {
  /** Reproducible values around a mean, with occasional outliers. */
  const valuesAround = (mean: number, seed: number): (() => number) => {
    let state = seed;
    const next = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
    return () => mean + (next() + next() + next()) * 400 + (next() < 0.01 ? next() * 1e6 : 0);
  };

  const compare = (left: number, right: number): number => {
    const [one, other] = [valuesAround(left, 1), valuesAround(right, 2)];
    const limits = croppingLimits(Array.from({ length: 4000 }, one));
    const samples = [new CroppedSamples(limits, 32), new CroppedSamples(limits, 32)] as const;
    for (let count = 0; count < 64_000; count++) {
      samples[0].add(count % 32, one());
      samples[1].add(count % 32, other());
    }
    return Math.abs(samples[0].compare(samples[1]).t);
  };

  test('sees a difference that accidents a thousand times as large hide', () => {
    assert.ok(compare(20_000, 20_020) > certain);
  });

  test('sees none where there is none', () => {
    assert.ok(compare(20_000, 20_000) < certain);
  });
});
