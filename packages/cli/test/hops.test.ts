import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { exits } from '../src/exits.ts';
import { cannotRun, edges, startEdge } from './edges.ts';
import { folderWithKeys, pair } from './key-files.ts';
import { startProxy } from './proxy-scene.ts';
import { run } from './run.ts';
import { asHttp, startSignedService } from './signed-service.ts';

const target = '/v1/%7Ejane//x?b=2&a=1';

/** The changes of proxies to `target`, and the expected report. Without `told`, nothing that is signed changes. */
const hops: readonly {
  readonly edge: keyof typeof edges;
  readonly directives: string;
  readonly told?: RegExp;
  readonly sides?: readonly [sent: string, received: string];
}[] = [
  {
    edge: 'nginx',
    directives: '/',
    told: /The slashes of the path changed\. The path was encoded differently \(percent-decoded\)\./,
    sides: ['/v1/%7Ejane//x', '/v1/~jane/x'],
  },
  {
    edge: 'haproxy',
    directives: 'http-request normalize-uri percent-decode-unreserved',
    told: /The path was encoded differently \(%7E became ~\)\./,
    sides: ['/v1/%7Ejane//x', '/v1/~jane//x'],
  },
  {
    edge: 'haproxy',
    directives: 'http-request normalize-uri query-sort-by-name',
    told: /The query parameters were reordered \(sorted\)\./,
    sides: ['?b=2&a=1', '?a=1&b=2'],
  },
  {
    edge: 'haproxy',
    directives: 'http-request del-header content-digest',
    told: /Content-Digest: The header was removed\./,
  },
  {
    edge: 'apache',
    directives: '',
    told: /The path was encoded differently \(%7E became ~\)\./,
    sides: ['/v1/%7Ejane//x', '/v1/~jane//x'],
  },
  {
    edge: 'caddy',
    directives: 'uri strip_prefix /v1',
    told: /The path changed\./,
    sides: ['/v1/%7Ejane//x', '/%7Ejane/x'],
  },
  { edge: 'nginx', directives: '' },
  { edge: 'haproxy', directives: '' },
  { edge: 'apache', directives: 'nocanon' },
  { edge: 'caddy', directives: '' },
];

describe('request --save: what was sent, through a real proxy, to a running service', () => {
  for (const { edge: name, directives, told, sides } of hops) {
    const what = told === undefined ? 'nothing' : told.source.replaceAll('\\', '');
    it(`${name} ${directives || '(no directive)'}: ${what}`, { skip: cannotRun(edges[name]) }, async (t) => {
      const service = await startSignedService(t, { publicKey: pair.publicKey });
      const edge = await startEdge(t, edges[name], { origin: service.origin, directives });
      const folder = folderWithKeys(t);
      const signer = ['--client-id', 'client_test', '--key', 'private.pem', '--save', 'sent.http'];
      const request = [
        'request',
        'POST',
        edge + target,
        '-d',
        '{"a":1}',
        '-H',
        'Authorization: Bearer s3cr3t',
      ];
      const sent = await run([...request, ...signer], { folder });
      assert.equal(sent.code, told ? exits.refused.code : exits.ok.code, sent.errors);
      assert.equal(statSync(join(folder, 'sent.http')).mode & 0o777, 0o600);
      assert.doesNotMatch(readFileSync(join(folder, 'sent.http'), 'utf8'), /s3cr3t/);
      writeFileSync(join(folder, 'received.http'), asHttp(service.arrived.at(-1)!));
      const { code, out } = await run(
        ['explain', 'received.http', '--sent', 'sent.http', '--key', 'public.pem'],
        { folder },
      );
      if (!told) {
        assert.match(out, /^Nothing that is signed changed between sent\.http and the service/);
        assert.equal(code, exits.ok.code, out);
        return;
      }
      const [first = '', second] = out.split('\n');
      assert.match(first, /^Changed between sent\.http and the service: /);
      assert.match(first, told);
      assert.equal(second, 'The signature is valid in sent.http, and no longer in the service.');
      for (const [index, side] of (sides ?? []).entries())
        assert.match(out, new RegExp(`^ +${['sent\\.http', 'the service'][index]} +${escaped(side)}$`, 'm'));
      // The program signed what it sent, so the report has no advice about its signature.
      assert.doesNotMatch(out, /Rejected|Checks/);
      assert.equal(code, exits.refused.code);
    });
  }
});

function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}

describe('proxy --trace', () => {
  it(
    'what the signing proxy sent is compared with what came',
    { skip: cannotRun(edges.nginx) },
    async (context) => {
      const service = await startSignedService(context, { publicKey: pair.publicKey });
      const edge = await startEdge(context, edges.nginx, { origin: service.origin, directives: '/' });
      const proxy = await startProxy(context, { target: edge, argv: ['--trace', 'sent'] });
      const headers = { authorization: 'Bearer s3cr3t', cookie: 'session=s3cr3t' };
      await fetch(`${proxy.address}/v1/%7Ejane`, { method: 'POST', body: '{"a":1}', headers });
      await proxy.stop();
      const [name = ''] = readdirSync(join(proxy.folder, 'sent'));
      const file = join(proxy.folder, 'sent', name);
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.equal(statSync(join(proxy.folder, 'sent')).mode & 0o777, 0o700);
      assert.doesNotMatch(readFileSync(file, 'utf8'), /s3cr3t|PRIVATE/);
      const folder = folderWithKeys(context);
      writeFileSync(join(folder, 'received.http'), asHttp(service.arrived.at(-1)!));
      const { out } = await run(
        ['explain', 'received.http', '--sent', file, '--key', 'public.pem', '--base-url', edge],
        { folder },
      );
      assert.match(
        out,
        /^Changed between .*\.http and the service: The path was encoded differently \(%7E became ~\)\./,
      );
    },
  );

  it('a folder that cannot be used ends the command', async (context) => {
    const folder = folderWithKeys(context);
    writeFileSync(join(folder, 'file'), '');
    const argv = ['proxy', '--target', 'http://127.0.0.1:9', '--client-id', 'a', '--key', 'private.pem'];
    const { code, errors } = await run([...argv, '--listen', '0', '--trace', 'file'], { folder });
    assert.equal(code, exits.local.code);
    assert.match(errors, /trace folder file already exists/);
  });

  it('keeps the last 100, and leaves out large bodies', async (context) => {
    const service = await startSignedService(context, { publicKey: pair.publicKey });
    const proxy = await startProxy(context, { target: service.origin, argv: ['--trace', 'sent', '--quiet'] });
    const sent = join(proxy.folder, 'sent');
    mkdirSync(sent, { recursive: true });
    writeFileSync(join(sent, 'mine.txt'), 'stays');
    for (let index = 0; index < 103; index++) await fetch(`${proxy.address}/v1/${index}`);
    await fetch(`${proxy.address}/v1/large`, { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) });
    await proxy.stop();
    const names = readdirSync(sent)
      .filter((name) => name.endsWith('.http'))
      .toSorted();
    assert.equal(names.length, 100);
    assert.equal(readFileSync(join(sent, 'mine.txt'), 'utf8'), 'stays');
    const first = readFileSync(join(sent, names[0]!), 'utf8');
    assert.match(first, new RegExp(`^GET ${service.origin}/v1/4 HTTP/1\\.1\\r\\n`));
    const last = readFileSync(join(sent, names.at(-1)!), 'utf8');
    assert.match(last, /\r\nContent-Length: 1048577\r\n[^]*\r\n\r\n$/);
  });
});
