/** With SoftHSM2 for real, and with a module in front of it that misbehaves: see `unruly-module.c`. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type KeyStore, openPkcs11, type Pkcs11Options } from '@countersign/pkcs11';
import { assertAccepted, assertRejects } from '@countersign/testing/stored-keys';
import { waitFor } from '@countersign/testing/wait-until';
import { missingSoftHsm, openSoftHsm, type SoftHsm, softHsmModule } from './softhsm.ts';
import { compileUnrulyModule, missingCompiler, type UnrulyModule } from './unruly-module.ts';

const pin = '4711-not-a-real-pin';
const bytes = Buffer.from('"@method": GET');
const signing = 'pkcs11:token=shop;id=%01';

describe('a key in a PKCS#11 token', { skip: missingSoftHsm() }, () => {
  let hsm: SoftHsm;
  const opened: KeyStore[] = [];
  const open = (options: Partial<Pkcs11Options> = {}): KeyStore => {
    const store = openPkcs11({ module: softHsmModule, token: 'shop', pin, timeoutMs: 60_000, ...options });
    opened.push(store);
    return store;
  };
  before(() => {
    hsm = openSoftHsm();
    hsm.initialize('shop', pin);
    hsm.initialize('other', pin);
    hsm.makeKeyPair('shop', pin, { label: 'signing', id: '01' });
    hsm.makeKeyPair('shop', pin, { label: 'käse & co', id: '02ff', type: 'rsa:3072' });
    hsm.makeKeyPair('shop', pin, { label: 'twins', id: '03' });
    hsm.makeKeyPair('shop', pin, { label: 'twins', id: '04' });
    hsm.makeKeyPair('shop', pin, { label: 'curve', id: '05', type: 'EC:prime256v1' });
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });
  after(() => hsm.remove());

  it('signs what our verifier and a running service accept', () => assertAccepted(open().openKey(signing)));

  it('is named by its ID, its label, or both, as RFC 7512 writes them', async () => {
    const store = open();
    const names = [
      'pkcs11:object=k%C3%A4se%20%26%20co',
      'pkcs11:id=%02%FF;type=private',
      'pkcs11:object=k%c3%a4se%20&%20co;id=%02%ff;token=shop',
    ];
    for (const name of names) assert.equal((await store.openKey(name).sign(bytes)).length, 384);
  });

  it('is replaced by one of its size that cannot be taken out', async () => {
    const store = open();
    const made = await store.createKey('pkcs11:id=%02%FF');
    assert.match(
      made.keyId,
      /^pkcs11:token=shop;object=k%C3%A4se%20%26%20co;id=(%[0-9A-F]{2}){16};type=private$/,
    );
    await assertAccepted(made);
    assert.equal((await made.sign(bytes)).length, 384);
    const id = /id=([^;]+)/.exec(made.keyId)![1]!.replaceAll('%', '').toLowerCase();
    const listed = hsm.tool('shop', pin, '--list-objects', '--type', 'privkey', '--id', id);
    assert.match(listed, /sensitive, always sensitive, never extractable, local/);
    assert.match(listed, /Usage: +sign\n/);
  });

  it('signs many at once, in several threads, while the event loop goes on', async () => {
    const key = open({ sessions: 3 }).openKey(signing);
    const expected = Buffer.from(await key.sign(bytes));
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      immediate = setImmediate(turn);
    };
    let immediate = setImmediate(turn);
    const signatures = await Promise.all(Array.from({ length: 64 }, () => key.sign(bytes)));
    clearImmediate(immediate);
    for (const signature of signatures) assert.ok(expected.equals(signature));
    assert.ok(turns >= 64, `${turns} turns`);
  });

  it('that cannot sign says why', async () => {
    const store = open();
    const refusals = [
      ['pkcs11:id=%99', 'key_not_found', /no private RSA key/],
      ['pkcs11:object=curve', 'key_not_found', /no private RSA key/],
      ['pkcs11:token=other;id=%01', 'key_not_found', /of another token than shop/],
      ['pkcs11:object=twins', 'key_unusable', /has 2 private keys .* name one by its id/],
    ] as const;
    for (const [keyId, code, message] of refusals)
      await assertRejects(() => store.openKey(keyId).sign(bytes), code, message, [pin]);
    await assertRejects(
      () => store.openKey('pkcs11:id=%99').publicKey(),
      'key_not_found',
      /no private RSA key/,
    );
    await assertRejects(() => store.createKey('pkcs11:id=%99'), 'key_not_found', /no private RSA key/);
    assert.equal((await store.openKey(signing).sign(bytes)).length, 256);
  });

  it('is found in the token that the options choose, and in no other', async () => {
    await assertRejects(
      () => open({ token: 'none' }).openKey(signing).sign(bytes),
      'store_unavailable',
      /has 0 tokens .*shop \(serial /,
    );
    await assertRejects(
      () => open({ token: undefined }).openKey(signing).sign(bytes),
      'options_invalid',
      /has 2 tokens/,
    );
    const serial = hsm.serialOf('shop');
    assert.equal((await open({ token: undefined, serial }).openKey(signing).sign(bytes)).length, 256);
  });

  it('needs a PIN, and says so', async () => {
    await assertRejects(
      () => open({ pin: undefined }).openKey(signing).sign(bytes),
      'access_denied',
      /asks for a PIN/,
    );
  });

  it('is not used by a closed store, which finishes what it is doing', async () => {
    const store = open();
    const key = store.openKey(signing);
    await key.sign(bytes);
    const last = key.sign(bytes);
    await store.close();
    assert.equal((await last).length, 256);
    await assertRejects(() => key.sign(bytes), 'store_unavailable', /is closed/);
  });

  it('keeps no program running, and lets it end well', async () => {
    const script = `
      import { openPkcs11 } from '@countersign/pkcs11';
      const store = openPkcs11({ module: ${JSON.stringify(softHsmModule)}, token: 'shop', pin: ${JSON.stringify(pin)} });
      console.log((await store.openKey('${signing}').sign(Buffer.from('a'))).length);`;
    const argv = ['--input-type=module', '--eval', script];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, argv, {
      cwd: import.meta.dirname,
    });
    assert.deepEqual([stdout, stderr], ['256\n', '']);
  });

  it('refuses options and names that cannot be meant', async () => {
    const wrong: readonly (readonly [Partial<Pkcs11Options>, RegExp])[] = [
      [{ module: 'libsofthsm2.so' }, /full path/],
      [{ sessions: 0 }, /sessions/],
      [{ sessions: 65 }, /sessions/],
      [{ timeoutMs: 0 }, /timeoutMs/],
      [{ pinFile: '/pin' }, /not both/],
    ];
    for (const [options, message] of wrong)
      assert.throws(() => open(options), { code: 'options_invalid', message });
    const names = [
      ['01', /has the form/],
      ['pkcs11:', /its "object" \(label\) or its "id"/],
      ['pkcs11:token=shop', /its "object" \(label\) or its "id"/],
      ['pkcs11:id=%01?pin-value=1234', /without a query or a PIN/],
      ['pkcs11:id=%01;id=%02', /"id" twice/],
      ['pkcs11:id=%1', /percent-encoded/],
      ['pkcs11:object=', /percent-encoded/],
      ['pkcs11:id=%01;type=public', /type must be private/],
      ['pkcs11:id=%01;slot-id=1', /these can be used/],
    ] as const;
    const store = open();
    for (const [name, message] of names)
      assert.throws(() => store.openKey(name), { code: 'options_invalid', message });
    const missing = open({ module: '/nowhere/module.so' }).openKey(signing);
    await assertRejects(() => missing.sign(bytes), 'options_invalid', /cannot be loaded/);
  });

  describe('whose module misbehaves', { skip: missingCompiler() }, () => {
    let unruly: UnrulyModule;
    const openUnruly = (options: Partial<Pkcs11Options> = {}): KeyStore =>
      open({ module: unruly.path, ...options });
    before(() => {
      unruly = compileUnrulyModule();
    });
    afterEach(() => {
      for (const name of [
        'sessions',
        'final-try',
        'forbid',
        'hang',
        'unreadable',
        'unasked',
        'blind',
      ] as const)
        unruly.clear(name);
    });
    after(() => unruly.remove());

    it('tries a wrong PIN once, however many signatures wait for it', async () => {
      const count = unruly.loginCount();
      const key = openUnruly({ pin: 'a wrong one' }).openKey(signing);
      for (const attempt of [1, 2]) {
        const results = await Promise.allSettled(Array.from({ length: 20 }, () => key.sign(bytes)));
        const codes = results.map(
          (each) => each.status === 'rejected' && (each.reason as { code: string }).code,
        );
        assert.deepEqual(new Set(codes), new Set(['access_denied']), `attempt ${attempt}`);
      }
      await assertRejects(() => key.sign(bytes), 'access_denied', /CKR_PIN_INCORRECT.* not tried again/, [
        'a wrong one',
      ]);
      assert.equal(unruly.loginCount() - count, 1);
    });

    it('tries again when the file with the PIN was corrected', async () => {
      const pinFile = join(hsm.folder, 'pin');
      writeFileSync(pinFile, 'a wrong one\n');
      const count = unruly.loginCount();
      const key = openUnruly({ pin: undefined, pinFile }).openKey(signing);
      await assertRejects(() => key.sign(bytes), 'access_denied', /CKR_PIN_INCORRECT/);
      await assertRejects(() => key.sign(bytes), 'access_denied', /CKR_PIN_INCORRECT/);
      writeFileSync(pinFile, `${pin}\n`);
      assert.equal((await key.sign(bytes)).length, 256);
      assert.equal(unruly.loginCount() - count, 2);
      const none = openUnruly({ pin: undefined, pinFile: `${pinFile}.none` }).openKey(signing);
      await assertRejects(() => none.sign(bytes), 'access_denied', /cannot be read \(ENOENT\)/);
    });

    it('does not take the last try of a PIN', async () => {
      unruly.set('final-try');
      const count = unruly.loginCount();
      await assertRejects(() => openUnruly().openKey(signing).sign(bytes), 'access_denied', /one more try/);
      assert.equal(unruly.loginCount(), count);
    });

    it('is found beside a token that cannot be read, if the options name its own', async () => {
      unruly.set('unreadable', 'other');
      const serial = hsm.serialOf('shop');
      for (const options of [{}, { token: undefined, serial }])
        assert.equal((await openUnruly(options).openKey(signing).sign(bytes)).length, 256);
      // It may be the one that is meant.
      for (const options of [{ token: undefined }, { token: 'other' }])
        await assertRejects(
          () => openUnruly(options).openKey(signing).sign(bytes),
          'store_unavailable',
          /CKR_TOKEN_NOT_RECOGNIZED from C_GetTokenInfo/,
        );
    });

    it('is found in a token that the module shows only to those who ask for new ones', async () => {
      unruly.set('unasked');
      assert.equal((await openUnruly().openKey(signing).sign(bytes)).length, 256);
      assert.equal(unruly.has('unasked'), false);
    });

    it('says so when a key may not sign', async () => {
      unruly.set('forbid');
      const message = /CKR_KEY_FUNCTION_NOT_PERMITTED from C_SignInit\. The key may not be used to sign/;
      await assertRejects(() => openUnruly().openKey(signing).sign(bytes), 'key_unusable', message);
    });

    it('logs in once for all sessions, and once more when the token has closed them', async () => {
      const count = unruly.loginCount();
      const key = openUnruly({ sessions: 3 }).openKey(signing);
      const signMany = async (): Promise<void> => {
        const signatures = await Promise.all(Array.from({ length: 12 }, () => key.sign(bytes)));
        assert.deepEqual(new Set(signatures.map(({ length }) => length)), new Set([256]));
      };
      await key.sign(bytes);
      await signMany();
      assert.equal(unruly.loginCount() - count, 1);
      await closeAllSessions(unruly.path, 'shop');
      await signMany();
      assert.equal(unruly.loginCount() - count, 2);
    });

    it('looks again for a key when another thread may have logged in after it looked', async () => {
      const key = openUnruly().openKey(signing);
      unruly.set('blind');
      assert.equal((await key.sign(bytes)).length, 256);
      assert.equal(unruly.has('blind'), false);
    });

    it('serves with the sessions that the token has', async () => {
      const key = openUnruly({ sessions: 8 }).openKey(signing);
      await key.sign(bytes);
      unruly.set('sessions', '0');
      const signatures = await Promise.all(Array.from({ length: 30 }, () => key.sign(bytes)));
      assert.equal(signatures.length, 30);
      const other = openUnruly().openKey(signing);
      await assertRejects(() => other.sign(bytes), 'throttled', /CKR_SESSION_COUNT.*Lower "sessions"/);
    });

    it('is not waited for when it hangs, and is used again afterwards', async () => {
      const key = openUnruly({ sessions: 1, timeoutMs: 2000 }).openKey(signing);
      const signed = (): Promise<Uint8Array> =>
        waitFor(() => key.sign(bytes).catch(() => undefined), 'the session signs');
      // A busy machine may take longer to start the thread.
      await signed();
      unruly.set('hang');
      const results = await Promise.allSettled([key.sign(bytes), key.sign(bytes)]);
      const codes = results.map(
        (each) => each.status === 'rejected' && (each.reason as { code: string }).code,
      );
      assert.deepEqual(codes, ['store_unavailable', 'throttled']);
      unruly.clear('hang');
      // It is free once the hanging call has returned.
      assert.equal((await signed()).length, 256);
    });
  });
});

/** Does to a program's sessions what the restart of a token does. */
async function closeAllSessions(module: string, label: string): Promise<void> {
  const { dlopen } = await import('node:ffi');
  const { functions } = dlopen(module, {
    C_GetSlotList: { arguments: ['u8', 'pointer', 'pointer'], return: 'u64' },
    C_GetTokenInfo: { arguments: ['u64', 'pointer'], return: 'u64' },
    C_CloseAllSessions: { arguments: ['u64'], return: 'u64' },
  });
  const slots = new BigUint64Array(new ArrayBuffer(256));
  const count = new BigUint64Array(new ArrayBuffer(8)).fill(32n);
  functions.C_GetSlotList(1, slots, count);
  for (const slot of slots.slice(0, Number(count[0]))) {
    const info = new Uint8Array(new ArrayBuffer(512));
    functions.C_GetTokenInfo(slot, info);
    if (Buffer.from(info.subarray(0, 32)).toString().trimEnd() === label)
      assert.equal(functions.C_CloseAllSessions(slot), 0n);
  }
}
