import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testPasswordCost } from '@countersign/testing/running-service';
import { PasswordHasher, productionPasswordCost, TooBusyError } from '../../src/people/identity/passwords.ts';
import { goodPassword, openPeopleScene } from './people-scene.ts';

/* What hashing passwords costs in production. The other tests use cheaper hashes. */

test('a service hashes passwords at the cost that OWASP recommends', async () => {
  assert.deepEqual(productionPasswordCost, { memory: 19_456, passes: 2, parallelism: 1 });
  const scene = await openPeopleScene({ passwordCost: undefined });
  try {
    await scene.addPerson();
    const { password_hash: hash } = await scene.database((database) =>
      database.selectFrom('person_credentials').select('password_hash').executeTakeFirstOrThrow(),
    );
    assert.match(hash!, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  } finally {
    await scene.close();
  }
});

test('a hash is checked at its own cost, whatever new ones cost', async () => {
  const production = new PasswordHasher();
  const hash = await production.hash(goodPassword);
  const cheap = new PasswordHasher(testPasswordCost);
  assert.equal(await cheap.verify(goodPassword, hash), true);
  assert.equal(await cheap.verify('another password', hash), false);
  assert.equal(await production.verify(goodPassword, await cheap.hash(goodPassword)), true);
  assert.equal(await production.verify(goodPassword, undefined), false);
});

test('fifty wait for their turn; then the machine is busy', async () => {
  const hasher = new PasswordHasher(testPasswordCost);
  const results = await Promise.allSettled(Array.from({ length: 60 }, () => hasher.hash(goodPassword)));
  const refused = results.filter((result) => result.status === 'rejected');
  assert.equal(refused.length, 8);
  assert.ok(refused.every(({ reason }) => reason instanceof TooBusyError));
});
