import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { fetchDirectory, type FetchSettings } from '../../src/directories/fetch-directory.ts';
import type { DirectoryForm } from '../../src/directories/directory-location.ts';
import { skipWithoutOpenssl } from './certificates.ts';
import { newJwk, openScene, publicAddress, type Scene, serve } from './scene.ts';

/* URLs and names that should lead the fetcher to where it must not go. */

const urls: readonly (readonly [string, string])[] = [
  ['', 'url_not_canonical'],
  ['agent.example/keys', 'url_malformed'],
  ['//agent.example/keys', 'url_malformed'],
  ['http://agent.example/', 'url_not_https'],
  ['ftp://agent.example/', 'url_not_https'],
  ['file:///etc/passwd', 'url_not_https'],
  ['data:application/json,{"keys":[]}', 'url_not_https'],
  ['gopher://agent.example/', 'url_not_https'],
  ['javascript:alert(1)', 'url_not_https'],
  ['blob:https://agent.example/1', 'url_not_https'],
  ['https://user@agent.example/', 'url_has_credentials'],
  ['https://user:secret@agent.example/', 'url_has_credentials'],
  ['https://agent.example@127.0.0.1/', 'url_has_credentials'],
  ['https://@agent.example/', 'url_not_canonical'],
  ['https://agent.example/#key', 'url_has_fragment'],
  ['https://agent.example/#', 'url_has_fragment'],
  ['https://agent.example#@127.0.0.1/', 'url_has_fragment'],
  ['https://agent.example:22/', 'url_port_not_allowed'],
  ['https://agent.example:80/', 'url_port_not_allowed'],
  ['https://agent.example:8443/', 'url_port_not_allowed'],
  ['https://agent.example:0/', 'url_port_not_allowed'],
  ['https://agent.example:443/', 'url_not_canonical'],
  ['https://agent.example:00443/', 'url_not_canonical'],
  ['https://agent.example:65536/', 'url_malformed'],
  ['https://agent.example', 'url_not_canonical'],
  ['HTTPS://agent.example/', 'url_not_canonical'],
  ['https://Agent.example/', 'url_not_canonical'],
  ['https:agent.example/', 'url_not_canonical'],
  ['https:/agent.example/', 'url_not_canonical'],
  ['https:///agent.example/', 'url_not_canonical'],
  ['https:\\\\agent.example\\', 'url_not_canonical'],
  ['https://agent.example\\@127.0.0.1/', 'url_not_canonical'],
  ['https://agent.example/a/../keys', 'url_not_canonical'],
  ['https://agent.example/%2e%2e/keys', 'url_not_canonical'],
  ['https://agent%2eexample/', 'url_not_canonical'],
  ['https://agent.example/\t', 'url_not_canonical'],
  ['https://agent.example/ ', 'url_not_canonical'],
  [' https://agent.example/', 'url_not_canonical'],
  ['https://agent.example/\r\nHost: internal', 'url_not_canonical'],
  ['https://agent.example/\0', 'url_not_canonical'],
  ['https://ägent.example/', 'url_not_canonical'],
  ['https://agent\u3002example/', 'url_not_canonical'],
  ['https://agent\uff0eexample/', 'url_not_canonical'],
  ['https://127\u30020\u30020\u30021/', 'url_not_canonical'],
  ['https://\u24d0gent.example/', 'url_not_canonical'],
  ['https://agent.example./', 'url_host_not_public'],
  ['https://127.0.0.1./', 'url_not_canonical'],
  ['https://agent..example/', 'url_host_not_public'],
  ['https://.agent.example/', 'url_host_not_public'],
  ['https://-agent.example/', 'url_host_not_public'],
  ['https://my_agent.example/', 'url_host_not_public'],
  [`https://${'a'.repeat(64)}.example/`, 'url_host_not_public'],
  [`https://${'a.'.repeat(127)}example/`, 'url_host_not_public'],
  ['https://localhost/', 'url_host_not_public'],
  ['https://app.localhost/', 'url_host_not_public'],
  ['https://intranet/', 'url_host_not_public'],
  ['https://printer.local/', 'url_host_not_public'],
  ['https://metadata.google.internal/', 'url_host_not_public'],
  ['https://1.0.0.127.in-addr.arpa/', 'url_host_not_public'],
  ['https://127.0.0.1/', 'url_host_is_address'],
  ['https://169.254.169.254/latest/meta-data/', 'url_host_is_address'],
  ['https://10.0.0.1/', 'url_host_is_address'],
  ['https://8.8.8.8/', 'url_host_is_address'],
  ['https://0.0.0.0/', 'url_host_is_address'],
  ['https://0/', 'url_not_canonical'],
  ['https://2130706433/', 'url_not_canonical'],
  ['https://0x7f000001/', 'url_not_canonical'],
  ['https://0x7f.1/', 'url_not_canonical'],
  ['https://017700000001/', 'url_not_canonical'],
  ['https://0177.0.0.1/', 'url_not_canonical'],
  ['https://127.1/', 'url_not_canonical'],
  ['https://127.0.0.1.1/', 'url_malformed'],
  ['https://256.0.0.1/', 'url_malformed'],
  ['https://[::1]/', 'url_host_is_address'],
  ['https://[::]/', 'url_host_is_address'],
  ['https://[::ffff:127.0.0.1]/', 'url_not_canonical'],
  ['https://[::ffff:7f00:1]/', 'url_host_is_address'],
  ['https://[::7f00:1]/', 'url_host_is_address'],
  ['https://[64:ff9b::7f00:1]/', 'url_host_is_address'],
  ['https://[2002:7f00:1::]/', 'url_host_is_address'],
  ['https://[fe80::1]/', 'url_host_is_address'],
  ['https://[fe80::1%25lo]/', 'url_malformed'],
  ['https://[fe80::1%lo]/', 'url_malformed'],
  ['https://[fd00:ec2::254]/', 'url_host_is_address'],
  ['https://[2606:4700:4700::1111]/', 'url_host_is_address'],
  [`https://agent.example/${'a'.repeat(1024)}`, 'url_too_long'],
];

/** What a name may resolve to, all of it beside a public address too. */
const addresses: readonly string[] = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '0177.0.0.1',
  '0x7f000001',
  '2130706433',
  '127.1',
  'localhost',
  '',
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:169.254.169.254',
  '::ffff:0:127.0.0.1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::7f00:1',
  '100::1',
  '2001::1',
  '2001:0:7f00:1::1',
  '2001:10::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:a9fe:a9fe::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fe80::1',
  'fe80::1%lo',
  'fec0::1',
  'ff02::1',
  '4000::1',
];

describe('nothing leaves for', { skip: skipWithoutOpenssl }, () => {
  let scene: Scene;
  before(async () => (scene = await openScene()));
  after(() => scene.close());
  beforeEach(() => scene.reset());

  const problemAt = async (
    url: string,
    settings: Partial<FetchSettings> = {},
    form: DirectoryForm = 'key-set',
  ): Promise<string | undefined> => {
    const result = await fetchDirectory(
      { form, url },
      { nowMs: () => 0, means: scene.means, deadline: () => new AbortController().signal, ...settings },
      {
        limits: { keysMax: 100, rsaKeysMax: 10 },
        known: [],
        closing: new AbortController().signal,
      },
    );
    return result.ok ? undefined : result.code;
  };

  for (const [url, code] of urls)
    test(`the URL ${JSON.stringify(url.slice(0, 60))}`, async () => {
      for (const form of ['key-set', 'actor'] as const) assert.equal(await problemAt(url, {}, form), code);
      assert.deepEqual([scene.resolved, scene.targets], [[], []]);
    });

  for (const address of addresses)
    test(`a name with the address ${JSON.stringify(address)}`, async () => {
      for (const others of [[address], [publicAddress, address], [address, publicAddress]]) {
        scene.names.set('agent.example', others);
        for (const form of ['key-set', 'actor'] as const)
          assert.equal(await problemAt('https://agent.example/users/alice', {}, form), 'address_not_public');
      }
      assert.deepEqual(scene.targets, []);
    });

  test('a name without an address, and one with more than any honest one has', async () => {
    scene.names.set('agent.example', []);
    assert.equal(await problemAt('https://agent.example/'), 'name_unresolved');
    scene.names.set('agent.example', () => Promise.reject(new Error('no such name')));
    assert.equal(await problemAt('https://agent.example/'), 'name_unresolved');
    scene.names.set(
      'agent.example',
      Array.from({ length: 33 }, () => publicAddress),
    );
    assert.equal(await problemAt('https://agent.example/'), 'address_not_public');
    assert.deepEqual(scene.targets, []);
  });

  test('a name that leads to another address once it was checked: it is not resolved again', async () => {
    let answers = 0;
    scene.names.set('agent.example', () => (++answers === 1 ? [publicAddress] : ['127.0.0.1']));
    scene.answer = serve({ keys: [newJwk()] });
    assert.equal(await problemAt('https://agent.example/keys'), undefined);
    assert.deepEqual([scene.targets, answers], [[`${publicAddress}:443`], 1]);
    assert.equal(await problemAt('https://agent.example/keys'), 'address_not_public');
    assert.equal(scene.targets.length, 1);
  });

  test('an internal name: the message is that of a name that does not exist', async () => {
    const messageOf = async (): Promise<string> => {
      const location = { form: 'key-set', url: 'https://agent.example/' } as const;
      const result = await fetchDirectory(
        location,
        { nowMs: () => 0, means: scene.means },
        { limits: { keysMax: 1, rsaKeysMax: 1 }, known: [], closing: new AbortController().signal },
      );
      return result.ok ? '' : result.message;
    };
    scene.names.set('agent.example', ['10.1.2.3']);
    const internal = await messageOf();
    scene.names.set('agent.example', []);
    assert.equal(internal, await messageOf());
    assert.doesNotMatch(internal, /10\.1/);
  });

  test("the operator's own origin: not to metadata services, and other origins of the host as ever", async () => {
    const settings = { trustedOrigins: new Set(['https://keys.intranet:8443', 'http://[fe80::1]']) };
    for (const address of [
      '169.254.169.254',
      '100.100.100.200',
      'fd00:ec2::254',
      'fe80::1',
      '::',
      '224.0.0.1',
    ]) {
      scene.names.set('keys.intranet', [address]);
      assert.equal(await problemAt('https://keys.intranet:8443/', settings), 'address_not_public');
    }
    assert.equal(await problemAt('http://[fe80::1]/', settings), 'address_not_public');
    scene.names.set('keys.intranet', ['10.0.0.1']);
    assert.equal(await problemAt('https://keys.intranet/', settings), 'address_not_public');
    assert.equal(await problemAt('http://keys.intranet:8443/', settings), 'url_not_https');
    assert.equal(await problemAt('https://keys.intranet:8444/', settings), 'url_port_not_allowed');
    assert.deepEqual(scene.targets, []);
  });

  test('redirects, wherever they lead', async () => {
    const places = [
      'http://169.254.169.254/latest/',
      'https://127.0.0.1/',
      '//[::1]/',
      '/other',
      'file:///etc/passwd',
    ];
    for (const status of [300, 301, 302, 303, 304, 305, 307, 308])
      for (const place of places) {
        scene.answer = (socket) =>
          void socket.end(`HTTP/1.1 ${status} Over there\r\nLocation: ${place}\r\nContent-Length: 0\r\n\r\n`);
        assert.equal(await problemAt('https://agent.example/keys'), 'redirected');
      }
    assert.deepEqual([...new Set(scene.targets)], [`${publicAddress}:443`]);
    assert.equal(scene.requests.length, scene.targets.length);
  });

  test('a refresh, a link and another service that the answer names', async () => {
    const elsewhere = 'https://10.0.0.1/keys';
    scene.answer = serve(
      { keys: [{ ...newJwk(), x5u: elsewhere, jku: elsewhere }], jwks_uri: elsewhere },
      { Refresh: `0;url=${elsewhere}`, Link: `<${elsewhere}>;rel=preload`, 'Alt-Svc': 'h2="10.0.0.1:443"' },
    );
    assert.equal(await problemAt('https://agent.example/keys'), undefined);
    assert.deepEqual(scene.targets, [`${publicAddress}:443`]);
  });

  test('any of these: no connection reached the server behind every other address', async () => {
    for (const [url] of urls) await problemAt(url);
    for (const address of addresses) {
      scene.names.set('agent.example', [address]);
      await problemAt('https://agent.example/');
    }
    assert.equal(scene.internalConnections(), 0);
    // The server would have counted one.
    const socket = scene.means.openSocket({ address: '127.0.0.1', port: 1 });
    await new Promise((resolve) => socket.on('close', resolve).resume());
    assert.equal(scene.internalConnections(), 1);
  });
});
