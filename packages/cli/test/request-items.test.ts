import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { exits } from '../src/exits.ts';
import { folderWithKeys, pair } from './key-files.ts';
import { run } from './run.ts';
import { headerOf, startSignedService } from './signed-service.ts';

const credentials = ['--client-id', 'client_test', '--key', 'private.pem'];

describe('request: items', () => {
  it('make a JSON body, a query and headers, word for word', async (context) => {
    const folder = folderWithKeys(context);
    const { origin, arrived } = await startSignedService(context, { publicKey: pair.publicKey });
    writeFileSync(join(folder, 'text.txt'), 'ü\n"x"');
    writeFileSync(join(folder, 'part.json'), '{ "big": 12345678901234567890 }\n');
    const cases: readonly { argv: readonly string[]; body?: string; target?: string }[] = [
      { argv: ['amount:=1250', 'currency=EUR'], body: '{"amount":1250,"currency":"EUR"}' },
      { argv: ['a:=12345678901234567890.10', 'b:=-1e400'], body: '{"a":12345678901234567890.10,"b":-1e400}' },
      { argv: ['a:=true', 'b:=null', 'c:=["x",{"y":1}]'], body: '{"a":true,"b":null,"c":["x",{"y":1}]}' },
      { argv: ['empty=', 'sign=a=b@c:d'], body: '{"empty":"","sign":"a=b@c:d"}' },
      { argv: ['2=x', '1=y', '__proto__=z'], body: '{"2":"x","1":"y","__proto__":"z"}' },
      { argv: ['a[b][c]=1', 'a[d]:=2', 'l[]=x', 'l[]:=3'], body: '{"a":{"b":{"c":"1"},"d":2},"l":["x",3]}' },
      {
        argv: ['t=@text.txt', 'j:=@part.json'],
        body: '{"t":"ü\\n\\"x\\"","j":{ "big": 12345678901234567890 }}',
      },
      { argv: [String.raw`a\=b\:c\@d=1`, String.raw`e\\=2`], body: String.raw`{"a=b:c@d":"1","e\\":"2"}` },
      { argv: ['q==a b&c', 'q==2', 'ü=='], target: '/x?q=a%20b%26c&q=2&%C3%BC=' },
      { argv: ['X-One:1', 'a=b'], body: '{"a":"b"}' },
    ];
    for (const { argv, body = '', target = '/x' } of cases) {
      const { code, errors } = await run(['request', 'POST', `${origin}/x`, ...credentials, ...argv], {
        folder,
      });
      assert.equal(code, exits.ok.code, errors);
      const request = arrived.at(-1)!;
      assert.ok(request.verification.ok);
      assert.equal(request.body.toString(), body);
      assert.equal(request.target, target);
      assert.equal(headerOf(request, 'content-type'), body === '' ? undefined : 'application/json');
    }
    assert.equal(headerOf(arrived.at(-1)!, 'x-one'), '1');
    for (const [url, target] of [
      ['/?', '/?a=1'],
      ['/?b=%7e', '/?b=%7e&a=1'],
      ['/?b&', '/?b&a=1'],
    ]) {
      await run(['request', 'GET', `${origin}${url}`, ...credentials, 'a==1'], { folder });
      assert.equal(arrived.at(-1)!.target, target);
    }
  });

  it('make a form, with files', async (context) => {
    const folder = folderWithKeys(context);
    const { origin, arrived } = await startSignedService(context, { publicKey: pair.publicKey });
    const bytes = Buffer.from([0, 13, 10, 255]);
    writeFileSync(join(folder, 'in "voice".pdf'), bytes);
    const post = ['request', 'POST', `${origin}/`, ...credentials, '--form'];
    assert.equal((await run([...post, 'a=1 ü&', 'b='], { folder })).code, exits.ok.code);
    assert.equal(arrived[0]?.body.toString(), 'a=1+%C3%BC%26&b=');
    assert.equal(headerOf(arrived[0], 'content-type'), 'application/x-www-form-urlencoded');
    assert.equal((await run([...post, 'a=1', 'file@in "voice".pdf'], { folder })).code, exits.ok.code);
    const [, request] = arrived;
    assert.ok(request?.verification.ok);
    const type = headerOf(request, 'content-type') ?? '';
    assert.match(type, /^multipart\/form-data; boundary=countersign-[0-9a-f]{36}$/);
    // The platform's own reader.
    const form = await new Response(new Uint8Array(request.body), {
      headers: { 'Content-Type': type },
    }).formData();
    assert.equal(form.get('a'), '1');
    const file = form.get('file') as File;
    assert.equal(file.type, 'application/pdf');
    assert.match(file.name, /^in (?:"|%22)voice(?:"|%22)\.pdf$/);
    assert.deepEqual(Buffer.from(await file.arrayBuffer()), bytes);
  });

  it('that cannot be meant are refused', async (context) => {
    const folder = folderWithKeys(context);
    writeFileSync(join(folder, 'a.txt'), 'a');
    const cases: readonly (readonly [argv: readonly string[], says: RegExp])[] = [
      [['word'], /"word" is not an item/],
      [['=x'], /"=x" is not an item/],
      [['a:=one'], /needs JSON after :=/],
      [['a:='], /needs JSON after :=/],
      [['a=1', 'a=2'], /sets a a second time/],
      [['a[b=1'], /unbalanced brackets/],
      [['a=1', 'a[b]=2'], /conflicts with an earlier value of a/],
      [['a[]=1', 'a[b]=2'], /conflicts with an earlier value of a/],
      [['a[][b]=1'], /nested inside a list/],
      [['a@a.txt'], /only a form can/],
      [['--form', 'a:=1'], /a form takes only text/],
      [['a=1', '-d', '{}'], /body is set both/],
      [['Signature:x'], /Leave out the header Signature/],
      [['X:a\r\nY: b'], /has line ends/],
    ];
    for (const [argv, says] of cases) {
      const { code, errors } = await run(
        ['request', 'POST', 'http://127.0.0.1:9/', ...credentials, ...argv],
        { folder },
      );
      assert.match(errors, says);
      assert.equal(code, exits.usage.code, errors);
    }
    const missing = await run(['request', 'POST', 'http://127.0.0.1:9/', ...credentials, 'a=@none'], {
      folder,
    });
    assert.equal(missing.code, exits.local.code);
  });
});

describe('request: what it shows', () => {
  it('prints the parts that were asked for, in their order', async (context) => {
    const folder = folderWithKeys(context);
    const { origin } = await startSignedService(context, { publicKey: pair.publicKey });
    const post = ['request', 'POST', `${origin}/x?q`, ...credentials, 'a=1'];
    const all = await run([...post, '-p', 'mbhBHS'], { folder });
    assert.equal(all.code, exits.ok.code, all.errors);
    assert.match(
      all.out,
      /^Signature base[^]*"@method": POST[^]*\nPOST \/x\?q HTTP\/1\.1\nHost: [^]*\nSignature: sig=:[^]*:\n\n\{"a":"1"\}\n\nHTTP\/1\.1 200 OK\nContent-Type: application\/json\n[^]*\n\n\{"ok":true\}\n {2}connection +[\d.]+ ms\n {2}first byte +[\d.]+ ms\n {2}body +[\d.]+ ms\n {2}all +[\d.]+ ms\n$/,
    );
    const body = await run([...post, '--print', 'b'], { folder });
    assert.equal(body.out, '{"ok":true}');
    assert.match(body.errors, /^200 OK/);
    for (const letters of ['x', 'bx', '']) {
      const wrong = await run([...post, `--print=${letters}`], { folder });
      assert.equal(wrong.code, exits.usage.code);
      assert.match(wrong.errors, /--print takes letters: S for the signature base/);
    }
    assert.match(
      (await run([...post, '-p', 'b', '--json'], { folder })).errors +
        (await run([...post, '-p', 'b', '--json'], { folder })).out,
      /leave out --print/,
    );
  });

  it('shows times, and writes the body to a file', async (context) => {
    const folder = folderWithKeys(context);
    const { origin } = await startSignedService(context, { publicKey: pair.publicKey });
    const get = ['request', 'GET', `${origin}/`, ...credentials];
    const timed = await run([...get, '--timing', '-o', 'answer.json'], { folder });
    assert.equal(timed.code, exits.ok.code, timed.errors);
    assert.equal(timed.out, '');
    assert.match(timed.errors, /^200 OK[^]* first byte +[\d.]+ ms/);
    assert.equal(readFileSync(join(folder, 'answer.json'), 'utf8'), '{"ok":true}');
    const json = await run([...get, '--timing', '--json'], { folder });
    const { timing } = JSON.parse(json.out) as { timing: Record<string, number> };
    assert.ok(timing['allMs']! >= timing['firstByteMs']!);
    const nowhere = await run([...get, '-o', 'no/such/folder'], { folder });
    assert.equal(nowhere.code, exits.local.code);
    assert.ok(statSync(join(folder, 'answer.json')).isFile());
  });
});

describe('profiles', () => {
  it('are credentials by name', async (context) => {
    const folder = folderWithKeys(context);
    const { origin, arrived } = await startSignedService(context, { publicKey: pair.publicKey });
    const home = join(folder, 'config');
    mkdirSync(join(home, 'countersign'), { recursive: true });
    const shop = { clientId: 'client_test', privateKeyFile: '../../private.pem', baseUrl: origin };
    const profiles = { shop, broken: { clientId: 1 } };
    writeFileSync(join(home, 'countersign/profiles.json'), JSON.stringify(profiles));
    const environment = { XDG_CONFIG_HOME: home };
    const ask = (argv: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      run(['request', 'GET', '/x', ...argv], { folder, environment: { ...environment, ...more } });
    assert.equal((await ask(['--profile', 'shop'])).code, exits.ok.code);
    assert.equal((await ask([], { COUNTERSIGN_PROFILE: 'shop' })).code, exits.ok.code);
    assert.equal((await ask(['--client-id', 'client_other', '--profile', 'shop'])).code, exits.refused.code);
    assert.equal(arrived.length, 3);
    const unknown = await ask(['--profile', 'toString']);
    assert.equal(unknown.code, exits.local.code);
    assert.match(unknown.errors, /has no profile "toString"\. It has shop, broken\./);
    assert.match((await ask(['--profile', 'broken'])).errors, /The profile "broken" in .* must hold/);
    assert.match((await ask(['--profile', 'shop', '--credentials', 'x'])).errors, /use only one/);
  });
});
