import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { messageProfiles } from '@countersign/signature/messages/node';
import { exits } from '../src/exits.ts';
import { folderWithKeys, otherPair, pair } from './key-files.ts';
import { type Ended, run, runProgram } from './run.ts';

const everyone = ['--network', '0.0.0.0'];
const add = ['clients', 'add', '--name', 'Shop', '--key', 'public.pem', ...everyone];

interface ClientJson {
  readonly clientId: string;
  readonly status: string;
  readonly roles: readonly string[];
  readonly network: readonly { readonly entry: string }[];
  readonly profile: string;
  readonly acceptWithoutDate: boolean;
  readonly keys: readonly { readonly keyId: string; readonly fingerprint: string; readonly status: string }[];
}

async function withClient(folder: string): Promise<ClientJson> {
  const { code, out } = await run([...add, '--role', 'payments-operator', '--create', '--json'], { folder });
  assert.equal(code, exits.ok.code, out);
  return JSON.parse(out) as ClientJson;
}

function assertFails({ code, errors, out }: Ended, says: RegExp): void {
  assert.equal(code, exits.local.code, errors);
  assert.match(errors, says);
  assert.equal(out, '');
}

describe('the allowed networks of the portal', () => {
  it('are emptied, once, and of an account that exists', async (context) => {
    const folder = folderWithKeys(context);
    await withClient(folder);
    const database = new DatabaseSync(join(folder, 'data/countersign.sqlite'));
    const { account_id: accountId } = database.prepare('select account_id from accounts').get() as {
      account_id: string;
    };
    database
      .prepare(
        'insert into security_policies (account_id, is_second_factor_required, portal_networks) values (?, 0, ?)',
      )
      .run(accountId, '[{"entry":"203.0.113.0/24","label":"Office"}]');
    assertFails(await run(['portal-networks', 'clear', 'account_x'], { folder }), /no such account/);
    const { code, out } = await run(['portal-networks', 'clear', accountId], { folder });
    assert.equal(code, exits.ok.code);
    assert.match(out, /Removed 203\.0\.113\.0\/24/);
    const again = await run(['portal-networks', 'clear', accountId, '--json'], { folder });
    assert.deepEqual((JSON.parse(again.out) as { data: unknown }).data, { accountId, removed: [] });
    const events = database.prepare("select * from audit_events where action = 'policy.updated'").all();
    database.close();
    assert.equal(events.length, 1);
    assert.equal(events[0]!['actor_kind'], 'operator-cli');
    assert.match(String(events[0]!['before']), /203\.0\.113\.0\/24/);
  });
});

describe('RSA keys for RSASSA-PSS', () => {
  const ofBank = [
    'clients',
    'add',
    '--name',
    'Bank',
    '--key',
    'public.pem',
    ...everyone,
    '--create',
    '--json',
  ];
  const fapi = ['--profile', 'fapi-2-request-01'];

  it('are made, registered and shown with their algorithm', async (context) => {
    const folder = folderWithKeys(context);
    const files = ['--out', 'new.pem', '--public-out', 'new.pub.pem'];
    const made = await run(['keygen', '--algorithm', 'PS256', '--bits', '2048', ...files], { folder });
    assert.match(made.out, /RSA-PSS, 2048 bits[^]*--algorithm PS256 --profile PROFILE/);
    const bank = await run([...ofBank, ...fapi, '--algorithm', 'PS256'], { folder });
    const { clientId, keys } = JSON.parse(bank.out) as { clientId: string; keys: { algorithm: string }[] };
    assert.deepEqual(
      keys.map(({ algorithm }) => algorithm),
      ['PS256'],
    );
    const added = await run(['keys', 'add', clientId, '--key', 'new.pub.pem', '--algorithm', 'PS256'], {
      folder,
    });
    assert.equal(added.out.match(/RSA-PSS, \d+ bits/g)?.length, 2, added.errors);
  });

  it('are rejected by a profile that does not sign with them, and by another name', async (context) => {
    const folder = folderWithKeys(context);
    const closed = await run([...ofBank, '--algorithm', 'PS256'], { folder });
    assert.match(
      closed.errors + closed.out,
      /This key is for PS256, and the profile countersign signs with /,
    );
    const other = await run([...ofBank, ...fapi, '--algorithm', 'rsa-v1_5-sha256'], { folder });
    assert.match(other.errors + other.out, /This key is for rsa-v1_5-sha256, .*: register the key for PS256/);
    const unknown = await run([...ofBank, '--algorithm', 'PS384'], { folder });
    assert.equal(unknown.code, exits.usage.code);
  });
});

describe('clients that expire', () => {
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+Z$/, '.000Z');
  const inTwoHours = String(Math.floor(Date.now() / 1000) + 7200);

  it('show when, and so do their keys', async (context) => {
    const folder = folderWithKeys(context);
    const { code, out } = await run([...add, '--create', '--expires-at', inAnHour, '--json'], { folder });
    assert.equal(code, exits.ok.code, out);
    const client = JSON.parse(out) as { clientId: string; expiresAt: string; keys: { endsAt: string }[] };
    assert.equal(client.expiresAt, inAnHour);
    assert.deepEqual(
      client.keys.map(({ endsAt }) => endsAt),
      [inAnHour],
    );
    const shown = await run(['clients', 'show', client.clientId], { folder });
    assert.match(shown.out, new RegExp(`expires +${inAnHour}`));
    assert.match(shown.out, new RegExp(`pending, expires ${inAnHour}`));
  });

  it('can outlive their key, but no key outlives its client', async (context) => {
    const folder = folderWithKeys(context);
    const addWith = (...argv: string[]): Promise<Ended> => run([...add, '--create', ...argv], { folder });
    assertFails(await addWith('--expires-at', '2020-01-31T08:00:00Z'), /time in the future/);
    const wrong = await addWith('--key-ends-at', 'tomorrow');
    assert.equal(wrong.code, exits.usage.code);
    assert.match(wrong.errors, /"tomorrow" is not a time/);
    const { out } = await addWith('--expires-at', inTwoHours, '--key-ends-at', inAnHour, '--json');
    const { expiresAt, keys } = JSON.parse(out) as { expiresAt: string; keys: { endsAt: string }[] };
    assert.equal(Date.parse(expiresAt), Number(inTwoHours) * 1000);
    assert.equal(keys[0]!.endsAt, inAnHour);
    const other = folderWithKeys(context);
    const capped = await run(
      [...add, '--create', '--expires-at', inAnHour, '--key-ends-at', inTwoHours, '--json'],
      {
        folder: other,
      },
    );
    assert.equal((JSON.parse(capped.out) as { keys: { endsAt: string }[] }).keys[0]!.endsAt, inAnHour);
  });
});

describe('clients and keys: refusals', () => {
  it('when there is no registry', async (context) => {
    const folder = folderWithKeys(context);
    for (const argv of [add, ['clients', 'list'], ['clients', 'show', 'client_x']]) {
      assertFails(
        await run(argv, { folder }),
        /There is no registry in .*data: specify the service's data folder/,
      );
    }
    assert.deepEqual(readdirSync(folder).toSorted(), ['private.pem', 'public.pem']);
    const environment = { COUNTERSIGN_DATA_FOLDER: 'elsewhere' };
    assertFails(await run(['clients', 'list'], { folder, environment }), /no registry in .*elsewhere/);
    assertFails(
      await run(['clients', 'list', '--data', 'third'], { folder, environment }),
      /no registry in .*third/,
    );
  });

  it('of keys that must not be registered', async (context) => {
    const folder = folderWithKeys(context);
    await withClient(folder);
    writeFileSync(join(folder, 'nonsense.pem'), 'not a key!');
    const addKey = (key: string): Promise<Ended> =>
      run(['clients', 'add', '--name', 'B', '--key', key, ...everyone], { folder });
    const ofPrivate = await addKey('private.pem');
    assertFails(ofPrivate, /This is a private key.*openssl pkey -in private\.pem -pubout/);
    assert.ok(!ofPrivate.errors.includes('MII'));
    assertFails(await addKey('nonsense.pem'), /not a key in a supported format/);
    assertFails(await addKey('missing.pem'), /missing\.pem does not exist/);
    assertFails(await addKey('public.pem'), /already/);
  });

  it('of networks, roles, names and ids that are not right', async (context) => {
    const folder = folderWithKeys(context);
    await withClient(folder);
    writeFileSync(join(folder, 'other.pem'), otherPair.publicKey);
    const addWith = (...argv: string[]): Promise<Ended> =>
      run(['clients', 'add', '--name', 'B', '--key', 'other.pem', ...argv], { folder });
    assertFails(await addWith('--network', '10.0.0.1/8'), /entry 1: Write the network as 10\.0\.0\.0\/8/);
    assertFails(await addWith(...everyone, '--network', 'a'), /entry 2/);
    assertFails(
      await addWith(...everyone, '--role', 'root'),
      /roles that exist: .*payments-operator, payments-reader/,
    );
    assertFails(await addWith(...everyone, '--account', 'account_x'), /no such account/);
    assertFails(await addWith(...everyone, '--client-id', 'a b'), /visible ASCII/);
    for (const profile of ['', 'Curl', 'curl 8.22', '-x', 'x'.repeat(65)]) {
      const wrong = await addWith(...everyone, `--profile=${profile}`);
      assert.equal(wrong.code, exits.usage.code);
      assert.match(wrong.errors, /lower-case letters, digits, hyphens and dots/);
    }
    const both = await addWith(...everyone, '--profile', 'curl-8.22', '--accept-without-date');
    assert.equal(both.code, exits.usage.code);
    assert.match(both.errors, /not both/);
    const { code, out } = await run(['clients', 'list', '--json'], { folder });
    assert.equal(code, exits.ok.code);
    assert.equal((JSON.parse(out) as { data: unknown[] }).data.length, 1, 'nothing was added');
  });

  it('of clients and keys that are not there', async (context) => {
    const folder = folderWithKeys(context);
    const { clientId } = await withClient(folder);
    for (const command of ['show', 'disable', 'enable']) {
      assertFails(await run(['clients', command, 'client_x'], { folder }), /no such client/);
    }
    assertFails(await run(['keys', 'revoke', clientId, 'key_x'], { folder }), /no such key/);
    const { code, out } = await run(['clients', 'show', 'client_x', '--json'], { folder });
    assert.equal(code, exits.local.code);
    assert.equal((JSON.parse(out) as { code: string }).code, 'client_unknown');
  });
});

describe('clients and keys without the service', () => {
  it('say where to run them', async (context) => {
    const folder = folderWithKeys(context);
    const source = fileURLToPath(new URL('../', import.meta.url));
    const copy = join(folder, 'packages/cli');
    for (const part of ['bin', 'src', 'package.json'])
      cpSync(join(source, part), join(copy, part), { recursive: true });
    const scope = join(folder, 'node_modules/@countersign');
    mkdirSync(scope, { recursive: true });
    for (const name of ['signature', 'explain', 'contract'])
      symlinkSync(join(source, '..', name), join(scope, name), 'junction');

    const started = spawnSync(process.execPath, [join(copy, 'bin/countersign.js'), 'clients', 'list'], {
      encoding: 'utf8',
    });
    assert.equal(started.status, exits.local.code, started.stderr);
    assert.match(started.stderr, /the service is not installed next to this command/);
    const others = spawnSync(process.execPath, [join(copy, 'bin/countersign.js'), '--help'], {
      encoding: 'utf8',
    });
    assert.equal(others.status, exits.ok.code, others.stderr);
  });
});

describe('clients and keys', () => {
  it('are added, listed, shown, disabled and enabled', async (context) => {
    const folder = folderWithKeys(context);
    const added = await runProgram(
      [...add, '--network', '203.0.113.0/24', '--create', '--accept-without-date'],
      { folder },
    );
    assert.equal(added.code, exits.ok.code, added.errors);
    assert.match(
      added.errors,
      /no role, so it may only ask who it is, and call routes that need no permission/,
    );
    const clientId = /clientId +(client_[0-9a-z]{26})\n/.exec(added.out)?.[1] ?? '';
    assert.match(added.out, /key +key_\S+ {2}SHA256:\S{43} {2}RSA, 2048 bits {2}pending\n/);

    assert.match(
      (await run(['clients', 'list'], { folder })).out,
      new RegExp(`${clientId} +active +1 +Shop\n`),
    );
    const disabled = await run(['clients', 'disable', clientId], { folder });
    assert.match(disabled.out, /status +disabled\n/);
    const shown = JSON.parse(
      (await run(['clients', 'show', clientId, '--json'], { folder })).out,
    ) as ClientJson;
    assert.equal(shown.status, 'disabled');
    assert.equal(shown.profile, 'countersign-without-date');
    assert.equal(shown.acceptWithoutDate, true);
    assert.deepEqual(shown.network.map(({ entry }) => entry).toSorted(), ['0.0.0.0', '203.0.113.0/24']);
    const enabled = JSON.parse(
      (await run(['clients', 'enable', clientId, '--json'], { folder })).out,
    ) as ClientJson;
    assert.equal(enabled.status, 'active');
  });

  it('have the profile that they were added with', async (context) => {
    const folder = folderWithKeys(context);
    // The key is one of RSA.
    const unfit = await run([...add, '--profile', 'curl-8.22', '--create'], { folder });
    assert.notEqual(unfit.code, exits.ok.code);
    assert.match(unfit.errors, /the profile curl-8\.22 signs with ed25519/);
    const known = await run([...add, '--profile', 'gnap-rfc9635', '--create'], { folder });
    assert.equal(known.code, exits.ok.code, known.errors);
    assert.match(known.out, /Profile +gnap-rfc9635\n/);
    assert.match(known.errors, /cannot ask the service .* its setting profiles must name gnap-rfc9635/);
    writeFileSync(join(folder, 'other.pem'), otherPair.publicKey);
    const ours = { ...messageProfiles.gnap, id: 'ours-1' };
    const environment = { COUNTERSIGN_PROFILES: JSON.stringify(['gnap-rfc9635', ours]) };
    const addOther = (
      profile: string,
      settings: Record<string, string>,
      ...more: readonly string[]
    ): Promise<Ended> =>
      run([...add, '--profile', profile, ...more].with(5, 'other.pem'), { folder, environment: settings });
    const refused = await addOther('curl-8.22', environment);
    assertFails(
      refused,
      /does not accept the profile curl-8\.22\. .* accepts: countersign, countersign-without-date, gnap-rfc9635, ours-1\./,
    );
    const file = join(folder, 'countersign.json');
    writeFileSync(file, '{"profiles": ["gnap-rfc9635"]}');
    assertFails(
      await addOther('ours-1', { COUNTERSIGN_CONFIGURATION_FILE: file }),
      /accepts: .*gnap-rfc9635\./,
    );
    assertFails(await addOther('ours-1', { COUNTERSIGN_PROFILES: 'ours-1' }), /no profile "ours-1"/);
    const own = await addOther('ours-1', environment, '--json');
    assert.doesNotMatch(own.errors, /profile/);
    const { clientId, profile } = JSON.parse(own.out) as ClientJson;
    assert.equal(profile, 'ours-1');
    assert.match((await run(['clients', 'show', clientId], { folder })).out, /Profile +ours-1\n/);
  });

  it('roll over from one key to the next', async (context) => {
    const folder = folderWithKeys(context);
    const { clientId, keys, roles } = await withClient(folder);
    assert.deepEqual(roles, ['payments-operator']);
    writeFileSync(join(folder, 'new.pem'), otherPair.publicKey);
    const both = JSON.parse(
      (await run(['keys', 'add', clientId, '--key', 'new.pem', '--json'], { folder })).out,
    ) as ClientJson;
    assert.deepEqual(
      both.keys.map(({ status }) => status),
      ['pending', 'pending'],
    );
    const [old] = keys;
    const revoked = await run(['keys', 'revoke', clientId, old?.fingerprint ?? ''], { folder });
    assert.equal(revoked.code, exits.ok.code, revoked.errors);
    assert.match(revoked.out, new RegExp(`${old?.keyId}.*revoked\n`));
    assertFails(
      await run(['keys', 'add', clientId, '--key', 'public.pem'], { folder }),
      /was revoked, which is final/,
    );
    assert.ok(pair.publicKey !== otherPair.publicKey);
  });

  it('label a client with tags and metadata, and list those with a tag', async (context) => {
    const folder = folderWithKeys(context);
    const { clientId } = await withClient(folder);
    const labels = [
      '--tag',
      'partner',
      '--metadata',
      'owner=Ada',
      '--metadata',
      'url=https://a.example/?x=1',
    ];
    const other = await run([...add, '--client-id', 'other', ...labels].with(5, 'other.pem'), {
      folder,
    });
    assertFails(other, /other\.pem does not exist/);
    writeFileSync(join(folder, 'other.pem'), otherPair.publicKey);
    const added = await run([...add, '--client-id', 'other', ...labels].with(5, 'other.pem'), { folder });
    assert.match(added.out, /tags +partner\n/);
    assert.match(added.out, /metadata +url = https:\/\/a\.example\/\?x=1\n/);
    for (const [argv, says] of [
      [['--tag', 'Partner'], /Write a tag with 1 to 40 lower-case letters/],
      [['--metadata', '1=x'], /Write metadata as strings/],
    ] as const)
      assertFails(await run(['clients', 'label', clientId, ...argv], { folder }), says);
    for (const argv of [[], ['--metadata', 'owner'], ['--metadata', '=Ada']]) {
      const ended = await run(['clients', 'label', clientId, ...argv], { folder });
      assert.equal(ended.code, exits.usage.code, ended.errors);
    }
    const change = [...labels, '--tag', 'eu', '--remove-tag', 'nothing'];
    await run(['clients', 'label', clientId, ...change], { folder });
    const changed = await run(
      ['clients', 'label', clientId, '--remove-tag', 'partner', '--remove-metadata', 'owner', '--json'],
      { folder },
    );
    const { tags, metadata } = JSON.parse(changed.out) as { tags: unknown; metadata: unknown };
    assert.deepEqual([tags, metadata], [['eu'], { url: 'https://a.example/?x=1' }]);
    const listed = await run(['clients', 'list', '--tag', 'partner'], { folder });
    assert.match(listed.out, /^CLIENT ID.*TAGS.*\nother +active +1 +partner +Shop\n$/);
    assert.match(
      (await run(['clients', 'list', '--tag', 'no'], { folder })).errors,
      /No client has this tag/,
    );
  });

  it('list every page', async (context) => {
    const folder = folderWithKeys(context);
    await withClient(folder);
    const { openLocalRegistry } = await import('@countersign/server/local-registry');
    const registry = await openLocalRegistry({ dataFolder: join(folder, 'data') });
    for (let count = 0; count < 130; count++) {
      await registry.addClient({ name: `n${count}`, network: ['0.0.0.0'], roles: [] });
    }
    await registry.close();
    const { out } = await run(['clients', 'list', '--json'], { folder });
    const { data } = JSON.parse(out) as { data: ClientJson[] };
    assert.equal(new Set(data.map(({ clientId }) => clientId)).size, 131);
  });
});
