import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createSigner, type SignedRequest } from '@countersign/signature/node';
import { exits } from '../src/exits.ts';
import { folderWithKeys, otherPair, pair } from './key-files.ts';
import { type Ended, run, runProgram } from './run.ts';
import { startSignedService } from './signed-service.ts';

const created = 1_700_000_000;
const clock = ['--clock', String(created + 2)];
const signer = createSigner({ keyid: 'client_test', privateKey: pair.privateKey });
const escapeCode = '\u001b';
let signatures = 0;

interface Told {
  readonly ok: boolean;
  readonly verdict: string;
  readonly source: string;
  readonly method: string;
  readonly targetUri: string;
  readonly bodyBytes?: number;
  readonly checks: readonly { readonly name: string; readonly state: string }[];
  readonly findings: readonly { readonly code: string; readonly certainty: string }[];
  readonly base?: string;
  readonly warnings: readonly string[];
  readonly advice: readonly string[];
}

/** A signed request with a URL of its own, because a signer never signs the same request twice. */
function signedRequest(url = 'https://api.example.com/v1/payments', body = ''): SignedRequest {
  const separator = url.includes('?') ? '&' : '?';
  return signer.sign({ method: 'POST', url: `${url}${separator}n=${signatures++}`, body }, { created });
}

function headerLines({ headers }: SignedRequest): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

/** The request as sent, with its own target, Host and body. */
function http(signed: SignedRequest, body = '', host = 'api.example.com'): string {
  const { pathname, search } = new URL(signed.url);
  const lines = [
    `${signed.method} ${pathname}${search} HTTP/1.1`,
    `Host: ${host}`,
    ...(body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ...headerLines(signed),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

function curl(signed: SignedRequest, url: string, data = ''): string {
  const headers = headerLines(signed).map((line) => `-H '${line}'`);
  return `curl -s -X ${signed.method} '${url}' \\\n  ${headers.join(' \\\n  ')} ${data}`;
}

function explain(
  context: TestContext,
  argv: readonly string[],
  input: string | Uint8Array = '',
  more: { readonly terminal?: boolean; readonly environment?: Record<string, string> } = {},
): Promise<Ended> {
  const folder = folderWithKeys(context);
  writeFileSync(join(folder, 'other.pem'), otherPair.publicKey);
  return run(['explain', ...argv], { folder, input, ...more });
}

async function told(
  context: TestContext,
  argv: readonly string[],
  input: string | Uint8Array = '',
): Promise<Told> {
  const { out, errors, code } = await explain(context, [...clock, '--json', ...argv], input);
  assert.ok(code === exits.ok.code || code === exits.refused.code, out + errors);
  return JSON.parse(out) as Told;
}

const codesOf = ({ findings }: Told): string[] =>
  findings.map(({ code, certainty }) => `${code} ${certainty}`).toSorted();
const withKey = ['--key', 'public.pem'];

describe('explain: by another profile', () => {
  const uri = 'https://api.example.com/v1/payments';
  /** Signed by hand as curl does, with a change of the base. */
  const asCurl = (change: (base: string) => string): string => {
    const key = createPrivateKey(ed25519);
    const names = '("@method" "@authority" "@path")';
    const params = `${names};created=${created};keyid="client_test";alg="ed25519"`;
    const lines = ['"@method": GET', '"@authority": api.example.com', '"@path": /v1/payments'];
    const base = [...lines, `"@signature-params": ${params}`].join('\n');
    const signature = sign(undefined, Buffer.from(change(base)), key).toString('base64');
    return `curl '${uri}' -H 'Signature-Input: sig1=${params}' -H 'Signature: sig1=:${signature}:'`;
  };
  const ed25519 = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  const publicKey = createPublicKey(ed25519).export({ type: 'spki', format: 'pem' });
  const ofProfile = ['--key', 'curl.pem', '--message-profile', 'curl-8.22'];
  const explainAsCurl = async (context: TestContext, argv: readonly string[], input: string) => {
    const folder = folderWithKeys(context);
    writeFileSync(join(folder, 'curl.pem'), publicKey);
    return run(['explain', ...clock, ...argv], { folder, input });
  };

  it('proves a mistake, and says what to send', async (context) => {
    const { out, code } = await explainAsCurl(
      context,
      [...ofProfile, '--json'],
      asCurl((base) => base.replaceAll('\n', '\r\n')),
    );
    const explained = JSON.parse(out) as Told & { readonly wanted: Record<string, string> };
    assert.deepEqual(codesOf(explained), ['base_crlf proven']);
    assert.equal(explained.wanted['profile'], 'curl-8.22');
    assert.equal(code, exits.refused.code);
    const shown = await explainAsCurl(
      context,
      ofProfile,
      asCurl((base) => `${base}\n`),
    );
    assert.match(shown.out, /By curl-8\.22\n.*Accept-Signature +sig1=\("@method" "@authority" "@path"\)/s);
  });

  it('accepts a right request, which the closed profile names as another one', async (context) => {
    const request = asCurl((base) => base);
    assert.equal((await explainAsCurl(context, ofProfile, request)).code, exits.ok.code);
    const closed = await explainAsCurl(context, ['--key', 'curl.pem'], request);
    assert.match(closed.out, /This is curl's --httpsig options/);
  });

  it('rejects an option of the closed profile', async (context) => {
    const { code, errors } = await explainAsCurl(context, [...ofProfile, '--accept-without-date'], 'x');
    assert.equal(code, exits.usage.code, errors);
  });

  it('says what changed on the way', async (context) => {
    const sent = asCurl((base) => base);
    const folder = folderWithKeys(context);
    writeFileSync(join(folder, 'curl.pem'), publicKey);
    writeFileSync(join(folder, 'sent.txt'), sent);
    const { out } = await run(['explain', ...clock, ...ofProfile, '--sent', 'sent.txt', '--json'], {
      folder,
      input: sent.replace(uri, `${uri}/`),
    });
    const { hops } = JSON.parse(out) as { hops: { verdict: string; isProven: boolean } };
    assert.deepEqual([hops.verdict, hops.isProven], ['broken', true]);
  });
});

describe('explain: what cannot be explained', () => {
  const local = exits.local.code;
  const header = ['--header', 'Date: x'];
  const cases: readonly {
    readonly argv?: readonly string[];
    readonly input?: string;
    readonly says: RegExp;
    readonly code?: number;
  }[] = [
    { input: '', says: /There is no request to explain: the input is empty\./, code: local },
    { input: ' \n', says: /the input is empty/, code: local },
    {
      input: 'hello',
      says: /parse this request: the first line.*a curl command line, or a HAR/,
      code: local,
    },
    { input: 'GET / HTTP/1.1\r\nno colon\r\n\r\n', says: /line 2 is not of the form/, code: local },
    { argv: ['missing.http'], says: /request missing\.http does not exist/, code: local },
    { input: 'GET / HTTP/1.1\r\n\r\n', says: /which host it was sent to.*--base-url https:/ },
    { input: '{"a":1}', says: /not a HAR archive.*"Copy as cURL"/s },
    { input: '{"log":{"entries":[]}}', says: /not a HAR archive/ },
    { input: '[1,', says: /not a HAR archive/ },
    {
      input: 'curl -H "Date: $DATE" https://a.example/',
      says: /shell replaces \$DATE.*set -x/,
    },
    { input: 'curl https://a.example/$(id)', says: /shell replaces \$\(id\)/ },
    { input: 'curl https://a.example/`id`', says: /shell replaces `id`/ },
    { input: "curl 'https://a.example/", says: /an unclosed quote/ },
    { input: 'curl -X POST', says: /has no URL/ },
    { input: 'curl https://a.example/ -H', says: /ends after --header/ },
    { input: 'curl https://a.example/ -F a=b', says: /multipart body.*-v.*--body-file/ },
    { input: 'curl https://a.example/ -d @-', says: /reads its body from standard input.*--body-file/ },
    {
      input: 'curl https://a.example/ -d @none.json',
      says: /body file of the curl line none\.json does not exist/,
      code: local,
    },
    { input: 'curl https://user:secret@a.example/', says: /has a user name/ },
    {
      argv: ['--entry', '1'],
      input: 'curl https://a.example/',
      says: /Only a HAR archive has entries to choose from/,
    },
    { argv: ['--method', 'GET', ...header], says: /Without FILE, pass --method, --url/ },
    { argv: ['--method', 'GET', '--url', '/v1', ...header], says: /full URL/ },
    {
      argv: ['--method', 'GET', '--url', 'https://a.example/', '-H', 'bad'],
      says: /not of the form 'Name: value'/,
    },
    { argv: ['request.http', '--method', 'GET'], says: /not both/ },
    { argv: ['--clock', 'yesterday'], says: /"yesterday" is not a time/ },
    { argv: ['--base-url', 'api.example.com'], says: /The base URL must be an http or https URL/ },
    { argv: ['--base-ulr', 'x'], says: /has no option --base-ulr\. Did you mean --base-url\?/ },
    {
      argv: ['--key', '=public.pem'],
      input: 'curl https://a.example/',
      says: /--key needs FILE, or CLIENT_ID=FILE/,
    },
    {
      argv: ['--key', 'none.pem'],
      input: 'curl https://a.example/',
      says: /public key none\.pem does not exist/,
      code: local,
    },
    {
      argv: ['--base', 'none'],
      input: 'curl https://a.example/',
      says: /signature base none does not exist/,
      code: local,
    },
  ];
  for (const { argv = [], input = '', says, code: expected = exits.usage.code } of cases) {
    it(`${JSON.stringify(argv.join(' ') || input)}: says what to do`, async (context) => {
      const { code, out, errors } = await explain(context, argv, input);
      assert.match(errors, says);
      assert.equal(code, expected);
      assert.equal(out, '');
      assert.doesNotMatch(errors, /secret/);
    });
  }

  it('a private key is refused kindly, and nothing of it is shown', async (context) => {
    for (const key of ['private.pem', 'client_test=private.pem']) {
      for (const format of [[], ['--json']]) {
        const { code, out, errors } = await explain(
          context,
          ['--key', key, ...format],
          http(signedRequest()),
        );
        assert.equal(code, exits.local.code);
        assert.match(
          out + errors,
          /is a private key\. Explaining needs only its public half.*openssl pkey -in private\.pem/s,
        );
        assert.doesNotMatch(out + errors, /MII|BEGIN/);
      }
    }
  });

  it('several requests of an archive: they are listed', async (context) => {
    const entry = { request: { method: 'GET', url: 'https://a.example/one', headers: [] } };
    const other = { request: { method: 'PUT', url: 'https://a.example/two', headers: [] } };
    const archive = JSON.stringify({ log: { entries: [entry, other, entry] } });
    const { code, errors } = await explain(context, [], archive);
    assert.equal(code, exits.usage.code);
    assert.match(
      errors,
      /several requests\. Give one with --entry.*\n {2}1 {2}GET https:\/\/a\.example\/one\n {2}2 {2}PUT/,
    );
    assert.match((await explain(context, ['--entry', 'three'], archive)).errors, /"three" names none/);
    assert.match((await explain(context, ['--entry', 'one'], archive)).errors, /"one" names several/);
    assert.equal((await told(context, ['--entry', '2'], archive)).method, 'PUT');
    assert.equal((await told(context, ['--entry', '/two'], archive)).method, 'PUT');
  });
});

describe('explain: a wrong URL is proved from every form', () => {
  const expected = ['url_scheme proven'];
  const wrong = (): SignedRequest => signedRequest('http://api.example.com/v1/payments', '{"a":"ü"}');
  const called = ({ url }: SignedRequest): string => url.replace('http:', 'https:');
  const body = '{"a":"ü"}';

  it('HTTP, with LF, without the empty line, as HTTP/2', async (context) => {
    const signed = wrong();
    const text = http(signed, body);
    for (const input of [text, text.replaceAll('\r\n', '\n'), text.replace('HTTP/1.1', 'HTTP/2')]) {
      const explained = await told(context, withKey, input);
      assert.deepEqual(codesOf(explained), expected);
      assert.equal(explained.bodyBytes, Buffer.byteLength(body));
      assert.match(explained.warnings.join(), /https is assumed/);
    }
    const head = await told(context, withKey, text.slice(0, text.indexOf('\r\n\r\n')));
    assert.deepEqual(codesOf(head), expected);
    assert.match(head.warnings.join(), /body is not known.*--body-file/);
  });

  it('a command line of curl, of a shell, of a browser, of Windows', async (context) => {
    const signed = wrong();
    const lines = [
      curl(signed, called(signed), `--data-raw '${body}'`),
      `$ ${curl(signed, called(signed), `--data-raw $'{"a":"\\u00fc"}' --compressed -o out.json`)} | jq .`,
      curl(signed, called(signed), `-d '${body}'`).replaceAll(
        /-H '([^']*)'/g,
        (_, line: string) => `--header ${JSON.stringify(line)}`,
      ),
      curl(signed, called(signed), '')
        .replaceAll(' \\\n', ' ^\r\n')
        .replaceAll(/'([^']*)'/g, (_, word: string) => `^"${word.replaceAll('"', '^\\^"')}^"`) +
        ` --data-raw ^"^{^\\^"a^\\^":^\\^"ü^\\^"^}^"`,
    ];
    for (const line of lines) {
      const explained = await told(context, withKey, line);
      assert.equal(explained.source, 'a curl command line', line);
      assert.equal(explained.targetUri, called(signed));
      assert.equal(explained.method, 'POST');
      assert.deepEqual(codesOf(explained), expected, line);
    }
  });

  it('the output of curl -v, with the body beside it', async (context) => {
    const signed = wrong();
    const head = http(signed).trimEnd().replace('HTTP/1.1', 'HTTP/2').split('\r\n');
    const output = `* Connected to api\n${head.map((line) => `> ${line}\n`).join('')}>\n* sent\n< HTTP/2 401\n< server: x\n`;
    const explained = await told(context, withKey, output);
    assert.deepEqual(codesOf(explained), expected);
    assert.match(explained.warnings.join(), /--body-file/);
    const folder = folderWithKeys(context);
    writeFileSync(join(folder, 'body.json'), body);
    const argv = ['explain', ...clock, ...withKey, '--json', '--body-file', 'body.json'];
    const complete = JSON.parse((await run(argv, { folder, input: output })).out) as Told;
    assert.equal(complete.bodyBytes, Buffer.byteLength(body));
    assert.doesNotMatch(complete.warnings.join(), /--body-file/);
  });

  it('a HAR archive, an entry, a request', async (context) => {
    const signed = wrong();
    const headers = [
      { name: ':authority', value: 'api.example.com' },
      ...Object.entries(signed.headers).map(([name, value]) => ({
        name: name.toLowerCase(),
        value: value,
      })),
    ];
    const request = { method: 'POST', url: called(signed), headers, postData: { text: body }, bodySize: 10 };
    const plain = { request: { method: 'GET', url: 'https://api.example.com/', headers: [] } };
    const archive = { log: { entries: [plain, { startedDateTime: '2023-11-14T22:13:20Z', request }] } };
    for (const value of [archive, { request }, request]) {
      assert.deepEqual(codesOf(await told(context, withKey, JSON.stringify(value))), expected);
    }
    const without = { ...request, postData: undefined };
    assert.match(
      (await told(context, withKey, JSON.stringify(without))).warnings.join(),
      /does not contain the body/,
    );
  });

  describe('as of the time of a recording, by the clock of the service where it tells', () => {
    const signed = signedRequest();
    const headers = Object.entries(signed.headers).map(([name, value]) => ({ name, value }));
    const request = { method: 'POST', url: signed.url, headers, bodySize: 0 };
    const date = (seconds: number): string => new Date(seconds * 1000).toUTCString();
    const entry = (startedSeconds: number, responseHeaders: readonly object[] = []): string =>
      JSON.stringify({
        startedDateTime: new Date(startedSeconds * 1000).toISOString(),
        request,
        response: { headers: responseHeaders },
      });
    const dateHeader = (seconds: number): object[] => [{ name: 'date', value: date(seconds) }];
    const verbose = (line: string): string =>
      [...http(signed).trimEnd().split('\r\n'), ''].map((sent) => `> ${sent}\n`).join('') +
      `< HTTP/1.1 401 Unauthorized\n< ${line}\n`;
    const cases = [
      ['an archive', entry(created + 2), /^$/],
      ['an archive of a browser whose clock is wrong', entry(created - 4000, dateHeader(created + 2)), /^$/],
      ['an archive of a request that was late', entry(created + 2, dateHeader(created + 400)), /^clock_off/],
      ['the output of curl -v', verbose(`Date: ${date(created + 2)}`), /^$/],
      ['the output of curl -v without a readable Date, as of now', verbose('Date: today'), /^clock_off/],
    ] as const;
    for (const [name, input, codes] of cases)
      it(name, async (context) => {
        const { out } = await explain(context, ['--json', ...withKey], input);
        assert.match(codesOf(JSON.parse(out) as Told).join(), codes);
      });
    // In a process of its own, which has read no other date before.
    it('and says which clock that was', async (context) => {
      const folder = folderWithKeys(context);
      writeFileSync(join(folder, 'sent.har'), entry(created + 2));
      const { out } = await runProgram(['explain', 'sent.har', ...withKey], { folder });
      assert.match(out, /clock +2023-11-14T22:13:22Z \(as recorded\)/);
    });
  });

  it('options', async (context) => {
    const signed = wrong();
    const headers = headerLines(signed).flatMap((line) => ['-H', line]);
    const argv = [...withKey, '--method', 'POST', '--url', called(signed), ...headers];
    assert.deepEqual(codesOf(await told(context, argv)), expected);
  });
});

describe('explain: what curl does to a request', () => {
  const cases: readonly (readonly [
    line: string,
    method: string,
    url: string,
    bytes: number,
    warning?: RegExp,
  ])[] = [
    ['curl a.example', 'GET', 'http://a.example/', 0, /curl takes http/],
    ['curl -I https://A.example:443', 'HEAD', 'https://a.example/', 0],
    ['curl https://a.example/p -d a=1 -d b=2', 'POST', 'https://a.example/p', 7],
    ['curl -G https://a.example/p?x -d a=1', 'GET', 'https://a.example/p?x&a=1', 0],
    ['curl -sXPUT https://a.example/p#f --json "{}"', 'PUT', 'https://a.example/p', 2],
    [
      'curl https://a.example/p?a=1&b=2',
      'GET',
      'https://a.example/p?a=1',
      0,
      /An & without quotes ends the command/,
    ],
    ['curl https://a.example/v1/./x/../y', 'GET', 'https://a.example/v1/y', 0, /resolves the dots/],
    ['curl --path-as-is https://a.example/v1/../y', 'GET', 'https://a.example/v1/../y', 0],
    ["curl 'https://a.example/?a[]=1'", 'GET', 'https://a.example/?a[]=1', 0, /expands the brackets/],
    ['curl --data-urlencode "a=b c" --url https://a.example/', 'POST', 'https://a.example/', 7],
    ['curl https://a.example/ --data-raw @x', 'POST', 'https://a.example/', 2],
    ["curl -d 'it'\\''s' \"https://a.example/\"", 'POST', 'https://a.example/', 4],
  ];
  for (const [line, method, url, bytes, warning] of cases) {
    it(line, async (context) => {
      const explained = await told(context, [], line);
      assert.deepEqual([explained.method, explained.targetUri, explained.bodyBytes], [method, url, bytes]);
      if (warning) assert.match(explained.warnings.join('\n'), warning);
      else assert.deepEqual(explained.warnings, []);
    });
  }

  it('reads the file of a body as curl does', async (context) => {
    const folder = folderWithKeys(context);
    writeFileSync(join(folder, 'body.txt'), 'a\r\nb\n');
    for (const [option, bytes] of [
      ['-d', 2],
      ['--data-binary', 5],
      ['-T', 5],
    ] as const) {
      const input = `curl https://a.example/ ${option} ${option === '-T' ? '' : '@'}body.txt`;
      const { out } = await run(['explain', '--json', ...clock], { folder, input });
      assert.equal((JSON.parse(out) as Told).bodyBytes, bytes, option);
    }
  });
});

describe('explain: what it tells', () => {
  it('without a key: what can be seen, never that it is valid', async (context) => {
    const good = await told(context, [], http(signedRequest()));
    assert.equal(good.verdict, 'undecided');
    assert.equal(good.ok, false);
    assert.deepEqual(good.findings, []);
    assert.match(good.advice.join(), /With --key public\.pem/);
    const changed = http(signedRequest(undefined, '{"a": 1}'), '{"a":1}');
    const { out, code } = await explain(context, clock, changed);
    assert.equal(code, exits.refused.code);
    assert.match(out, /1 mistake found without a key: The JSON was hashed with different spacing\./);
    assert.match(out, / 8 signature +not reached +no key was given\n +12 body +failed +digest_mismatch\n/);
    const old = await explain(context, [], http(signedRequest()));
    assert.match(old.out, /1\. The clock is off, or the request took too long {2}\(observed\)/);
    assert.match(old.out, /pass its arrival time: --clock TIME/);
  });

  it('the checks, the first difference with a mark below it, what to do, the base', async (context) => {
    const text = http(signedRequest('https://api.example.com/v1/payments/?a=1'));
    const { out, code } = await explain(
      context,
      [...clock, ...withKey],
      text.replace('payments/?', 'payments?'),
    );
    assert.equal(code, exits.refused.code);
    assert.match(out, /^Rejected\. 1 mistake found: The trailing slash differs\.\n/);
    // The finding says why; the reason of the check would send people after the key.
    assert.match(
      out,
      / 7 time +passed +2 s old\n +8 signature +failed +signature_invalid\n +12 body +not reached\n/,
    );
    assert.ok(out.indexOf('1. The trailing slash') < out.indexOf('Checks'), 'what is wrong comes first');
    assert.match(out, /1\. The trailing slash differs {2}\(proven\)\n/);
    const lines = out.split('\n');
    const at = lines.findIndex((line) => /^ +\^/.test(line));
    const mark = lines[at]!.indexOf('^');
    assert.deepEqual([lines[at - 2]![mark], lines[at - 1]![mark]], ['?', '/']);
    assert.equal(lines[at - 2]!.slice(12, mark), lines[at - 1]!.slice(12, mark));
    assert.match(out, / fix: Sign the path exactly as it is sent/);
    assert.match(
      out,
      /The base of this request with every mistake fixed .*\n {2}"@method": POST<LF>\n {2}"@target-uri": /,
    );
  });

  it('several mistakes in one base once, as the text that was signed', async (context) => {
    const folder = folderWithKeys(context);
    const signed = signedRequest();
    const built = signed.signatureBase.replace('https:', 'http:').replaceAll('\n', '\r\n');
    writeFileSync(join(folder, 'built.txt'), built);
    const argv = ['explain', ...clock, '--base', 'built.txt'];
    const { out } = await run(argv, { folder, input: http(signed) });
    assert.match(
      out,
      /2 mistakes found without a key: .*The lines of the signature base were joined differently/,
    );
    assert.match(out, /What the caller built .*\n {2}! "@method": POST<CR><LF>\n {2}! "@target-uri": http:/);
  });

  it('characters that nobody sees, and none that moves the cursor', async (context) => {
    const folder = folderWithKeys(context);
    const signed = signedRequest();
    writeFileSync(join(folder, 'built.txt'), signed.signatureBase.replaceAll('\n', '\r\n'));
    const argv = ['explain', ...clock, '--base', 'built.txt'];
    const { out } = await run(argv, { folder, input: http(signed) });
    assert.match(out, /expected .*POST<LF>.*\n +built +.*POST<CR><LF>.*\n +\^/);
    const hostile = await explain(context, clock, `curl 'https://a.example/' -H $'Date: \\x1b[2J\\u202e\\r'`);
    assert.ok(!/[\u001b\r\u202e]/.test(hostile.out + hostile.errors));
  });

  it('a body exactly as it was: one backslash is one, and line ends do not hide the rest', async (context) => {
    const hashed = '{"file":"C:\\\\temp","n":1}';
    const sent = '{\n  "file": "C:\\\\temp",\n  "n": 1\n}';
    const { out } = await explain(
      context,
      [...clock, ...withKey],
      http(signedRequest(undefined, hashed), sent),
    );
    assert.ok(out.includes(String.raw`received  {<LF>··"file": "C:\\temp",<LF>··"n": 1<LF>}`), out);
    assert.ok(out.includes(String.raw`hashed    {"file":"C:\\temp","n":1}`), out);
  });

  it('large bodies in a command line', async (context) => {
    for (const [open, close] of [
      ["'", "'"],
      ['"', '"'],
      ["$'", "'"],
    ] as const) {
      const explained = await told(
        context,
        [],
        `curl https://a.example/ -d ${open}${'a\\n'.repeat(2e5)}${close}`,
      );
      assert.equal(explained.bodyBytes, open === "$'" ? 4e5 : 6e5);
    }
  });

  it('in colours on a terminal, without them elsewhere and with NO_COLOR', async (context) => {
    const input = http(signedRequest());
    assert.ok((await explain(context, clock, input, { terminal: true })).out.includes(escapeCode));
    assert.ok(!(await explain(context, clock, input)).out.includes(escapeCode));
    const environment = { NO_COLOR: '1' };
    assert.ok(
      !(await explain(context, clock, input, { terminal: true, environment })).out.includes(escapeCode),
    );
  });

  it('which of the keys signed, by their clients', async (context) => {
    const input = http(signedRequest());
    const named = ['--key', 'client_a=public.pem', '--key', 'client_test=other.pem'];
    const explained = await told(context, named, input);
    assert.ok(codesOf(explained).includes('key_of_other_client proven'), codesOf(explained).join());
    assert.deepEqual(codesOf(await told(context, ['--key', 'client_tset=public.pem'], input)), [
      'keyid_unknown observed',
    ]);
    const unknown = await explain(context, [...clock, '--key', 'other.pem'], input);
    assert.match(unknown.out, /An unknown key signed {2}\(likely\)/);
    assert.match(unknown.out, /Here, "registered" means passed with --key/);
    assert.equal(
      (await told(context, ['--key', 'other.pem', '--key', 'public.pem'], input)).verdict,
      'valid',
    );
  });

  it('the URL by the base URLs of the service', async (context) => {
    const input = http(signedRequest('https://api.example.com/pay/v1/payments'), '', 'inside:8080');
    const received = input.replace('/pay/v1', '/v1');
    const argv = [...withKey, '--base-url', 'https://api.example.com/pay/'];
    const explained = await told(context, argv, received);
    assert.equal(explained.verdict, 'valid');
    assert.match(explained.warnings.join(), /for inside:8080, which is not the service's URL/);
    const several = ['--base-url', 'http://other.example', '--base-url', 'http://api.example.com'];
    const chosen = await told(context, several, http(signedRequest()));
    assert.match(chosen.targetUri, /^http:\/\/api\.example\.com\/v1/);
    assert.doesNotMatch(chosen.warnings.join(), /base-url/);
  });

  it('what was built, with and without the newline of an editor', async (context) => {
    const folder = folderWithKeys(context);
    const signed = signedRequest();
    const claims = [
      [signed.signatureBase, 'valid', []],
      [`${signed.signatureBase}\n`, 'valid', []],
    ] as const;
    for (const [claim, verdict, codes] of claims) {
      writeFileSync(join(folder, 'built.txt'), claim);
      const argv = ['explain', '--json', ...clock, ...withKey, '--base', 'built.txt'];
      const explained = JSON.parse((await run(argv, { folder, input: http(signed) })).out) as Told;
      assert.equal(explained.verdict, verdict);
      assert.deepEqual(codesOf(explained), codes);
    }
    const wrongUrl = signedRequest('http://api.example.com/v1');
    writeFileSync(join(folder, 'built.txt'), 'something else\n');
    const argv = ['explain', '--json', ...clock, ...withKey, '--base', 'built.txt'];
    const explained = JSON.parse((await run(argv, { folder, input: http(wrongUrl) })).out) as Told;
    assert.deepEqual(codesOf(explained), ['base_claimed_not_signed observed', 'url_scheme proven']);
  });

  it('that nothing is wrong with a request that is right', async (context) => {
    const body = '{"a":1}';
    const { out, errors, code } = await explain(
      context,
      [...clock, ...withKey, '--base-url', 'https://api.example.com'],
      http(signedRequest(undefined, body), body),
    );
    assert.match(out, /^Nothing is wrong: this request passes every check\.\n/);
    assert.doesNotMatch(out, /failed|not reached/);
    assert.equal(errors, '');
    assert.equal(code, exits.ok.code);
  });

  it('by the program itself, with a key in another form', async (context) => {
    const folder = folderWithKeys(context);
    writeFileSync(
      join(folder, 'key.jwk'),
      JSON.stringify(createPublicKey(pair.publicKey).export({ format: 'jwk' })),
    );
    writeFileSync(join(folder, 'request.http'), http(signedRequest()));
    const { code, out, errors } = await runProgram(
      ['explain', 'request.http', '--key', 'key.jwk', ...clock, '--json'],
      { folder },
    );
    assert.equal(code, exits.ok.code, errors);
    const explained = JSON.parse(out) as Told;
    assert.deepEqual(
      explained.checks.map(({ state }) => state),
      Array(9).fill('passed'),
    );
    assert.match(explained.base ?? '', /^"@method": POST\n/);
  });
});

describe('request --explain', () => {
  const credentials = ['--client-id', 'client_test', '--key', 'private.pem'];
  const offer = /note: the same command with --explain says what is wrong/;
  const request = async (
    context: TestContext,
    service: Partial<Parameters<typeof startSignedService>[1]>,
    argv: readonly string[] = [],
  ): Promise<Ended> => {
    const { origin } = await startSignedService(context, { publicKey: pair.publicKey, ...service });
    return run(['request', 'POST', `${origin}/v1`, '-d', '{"a":1}', ...credentials, ...argv], {
      folder: folderWithKeys(context),
    });
  };

  it('is offered when the signature was refused, and not otherwise', async (context) => {
    const refused = await request(context, { publicKey: otherPair.publicKey });
    assert.equal(refused.code, exits.refused.code);
    assert.match(refused.errors, offer);
    assert.doesNotMatch(refused.errors, /Checks/);
    assert.doesNotMatch((await request(context, {})).errors, offer);
    for (const [status, type] of [
      [401, 'text/html'],
      [403, 'application/problem+json'],
      [401, 'application/problem+json'],
    ] as const) {
      const body = status === 403 ? '{"code":"network_not_allowed"}' : '{"code":"token_expired"}';
      const answered = await request(context, {
        answer: (_, response) => void response.writeHead(status, { 'Content-Type': type }).end(body),
      });
      assert.equal(answered.code, exits.refused.code);
      assert.doesNotMatch(answered.errors, offer);
    }
  });

  it('says that what was sent is right, when the service knows another key', async (context) => {
    const ended = await request(context, { publicKey: otherPair.publicKey }, ['--explain']);
    assert.equal(ended.code, exits.refused.code);
    assert.match(ended.errors, /Rejected, and nothing wrong can be seen in the request\./);
    assert.match(ended.errors, /8 signature +passed/);
    assert.match(ended.errors, /clock .*\(of the service\)/);
    assert.match(ended.errors, /What was sent is right by your key.*another key for client_test/s);
    // A fingerprint may have any letters.
    const shown = (ended.errors + ended.out).replaceAll(/SHA256:[\w+/]{43}/g, '');
    assert.doesNotMatch(shown, /PRIVATE|MII/);
    assert.doesNotMatch(ended.errors, offer);
  });

  it('names the clock, by that of the service, also as JSON', async (context) => {
    const ended = await request(context, { aheadSeconds: 4000 }, ['--explain', '--json']);
    const { explanation } = JSON.parse(ended.out) as { explanation: Told };
    assert.equal(explanation.verdict, 'refused');
    assert.equal(explanation.source, 'the request that was sent');
    assert.deepEqual(codesOf(explanation), ['clock_off observed']);
    const shown = await request(context, { aheadSeconds: 4000 }, ['--explain']);
    assert.match(
      shown.errors,
      /1\. The clock is off, or the request took too long.*\n +The caller.s clock is off/,
    );
  });
});

describe('explain: mistakes of real programs', () => {
  interface Case {
    readonly id: string;
    readonly mistakes: readonly string[];
    readonly sameAs?: Readonly<Record<string, readonly string[]>>;
    readonly request: {
      readonly method: string;
      readonly targetUri: string;
      readonly headers: readonly (readonly [string, string])[];
      readonly bodyBase64?: string;
    };
    readonly context: { readonly nowSeconds: number; readonly isRepeated?: boolean };
  }
  const read = (name: string): unknown =>
    JSON.parse(readFileSync(new URL(`../../../vectors/mistakes/${name}.json`, import.meta.url), 'utf8'));
  const { keys } = read('account') as {
    keys: { name: string; clientId: string; keyState: string; environment?: string; publicKeyPem: string }[];
  };
  const { cases } = read('single') as { cases: readonly Case[] };
  // Ignores findings that need facts about clients and the service that this test does not have.
  const isElsewhere = (code: string): boolean =>
    /^(?:key|url_internal_host|url_other_host|request_replayed)/.test(code);
  const chosen = cases
    .filter(({ mistakes }) => !mistakes.some(isElsewhere))
    .filter((_, index) => index % 24 === 0);

  for (const one of chosen) {
    it(one.id, async (context) => {
      const folder = folderWithKeys(context);
      const active = keys.filter(
        ({ keyState, environment }) => keyState === 'active' && environment === undefined,
      );
      // Reading keys is slow: only read them all for an unknown client ID.
      const named = active.filter(({ clientId }) => JSON.stringify(one.request.headers).includes(clientId));
      const usable = named.length > 0 ? named : active;
      for (const { name, publicKeyPem } of usable) writeFileSync(join(folder, name), publicKeyPem);
      const { method, targetUri, headers, bodyBase64 = '' } = one.request;
      const body = Buffer.from(bodyBase64, 'base64');
      const har = {
        method,
        url: targetUri,
        headers: headers.map(([name, value]) => ({ name, value })),
        ...(body.length > 0 && { postData: { text: bodyBase64, encoding: 'base64' } }),
        bodySize: body.length,
      };
      const raw = Buffer.concat([
        Buffer.from(
          `${method} ${targetUri} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
          'latin1',
        ),
        body,
      ]);
      const argv = [
        'explain',
        '--json',
        ...usable.flatMap(({ name, clientId }) => ['--key', `${clientId}=${name}`]),
        '--clock',
        String(one.context.nowSeconds),
      ];
      for (const input of [JSON.stringify(har), raw]) {
        const explained = JSON.parse((await run(argv, { folder, input })).out) as Told;
        const found = new Set(explained.findings.map(({ code }) => code));
        const missed = one.mistakes.filter(
          (code) => ![code, ...(one.sameAs?.[code] ?? [])].some((name) => found.has(name)),
        );
        assert.deepEqual(missed, [], [...found].join());
      }
    });
  }
});

describe('explain: what changed on the way', () => {
  interface ToldHops extends Told {
    readonly hops: {
      readonly verdict: string;
      readonly isProven: boolean;
      readonly firstWrongHop?: number;
      readonly hops: readonly {
        readonly changes: readonly { readonly kinds: readonly { code: string }[] }[];
      }[];
    };
  }

  async function compared(
    context: TestContext,
    files: Readonly<Record<string, string>>,
    argv: readonly string[],
  ): Promise<Ended> {
    const folder = folderWithKeys(context);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return run(['explain', ...clock, ...argv], { folder });
  }

  it('a file that does not exist, and too many of them', async (context) => {
    const wire = http(signedRequest());
    const missing = await compared(context, { 'a.http': wire }, ['a.http', '--sent', 'none.http']);
    assert.equal(missing.code, exits.local.code);
    assert.match(missing.errors, /sent request none\.http does not exist/);
    const many = Array.from({ length: 8 }, () => ['--sent', 'a.http']).flat();
    const { code, errors } = await compared(context, { 'a.http': wire }, ['a.http', ...many]);
    assert.equal(code, exits.usage.code);
    assert.match(errors, /at most 7 times/);
  });

  it('says first what changed, with both sides and the byte', async (context) => {
    const signed = signedRequest('https://api.example.com/v1/%7Ejane');
    const wire = http(signed);
    const files = {
      'sent.sh': curl(signed, signed.url),
      'proxy.http': wire,
      'received.http': wire.replace('%7E', '~').replace('\r\n', '\r\nVia: 1.1 edge\r\n'),
    };
    const argv = ['received.http', '--sent', 'sent.sh', '--sent', 'proxy.http', ...withKey];
    const { code, out } = await compared(context, files, argv);
    assert.equal(code, exits.refused.code);
    assert.match(
      out,
      /^Changed between proxy\.http and the service: The path was encoded differently \(%7E became ~\)\.\nThe signature is valid in proxy\.http, and no longer in the service\./,
    );
    assert.match(out, /proxy\.http → the service \(the first wrong hop\)/);
    assert.match(out, /proxy\.http +\/v1\/%7Ejane\n +the service +\/v1\/~jane\n/);
    assert.match(out, /byte 5: 0x25 became 0x7e; 11 bytes became 9/);
    assert.match(out, /often done by: nginx/);
    assert.match(out, /Not signed: Via: The header was added\./);
    const json = await compared(context, files, [...argv, '--json']);
    const { hops } = JSON.parse(json.out) as ToldHops;
    assert.deepEqual([hops.verdict, hops.isProven, hops.firstWrongHop], ['broken', true, 1]);
    assert.equal(hops.hops[1]?.changes[0]?.kinds[0]?.code, 'path_encoded');
  });

  it('without a key: what is covered tells, and it is not called proven', async (context) => {
    const signed = signedRequest();
    const files = { 'sent.http': http(signed), 'received.http': http(signed).replace('POST', 'PUT') };
    const { out } = await compared(context, files, ['received.http', '--sent', 'sent.http']);
    assert.match(
      out,
      /^Changed between sent\.http and the service: The method changed\.\nThe signature covers this/,
    );
    assert.match(out, /With --key public\.pem it can be proved/);
  });

  it('the program signed something else: says so, and explains what it sent', async (context) => {
    const signed = signedRequest('https://api.example.com/v1/payments/');
    const wrong = http(signed).replace('/v1/payments/', '/v1/payments');
    const files = { 'sent.http': wrong, 'received.http': wrong.replace('POST', 'PUT') };
    const argv = ['received.http', '--sent', 'sent.http', ...withKey];
    const { out } = await compared(context, files, argv);
    assert.match(out, /^No hop broke the signature: it was not valid in sent\.http already\./);
    const { findings } = JSON.parse((await compared(context, files, [...argv, '--json'])).out) as Told;
    assert.deepEqual(
      findings.map(({ code, certainty }) => `${code} ${certainty}`),
      ['url_trailing_slash proven'],
    );
  });

  it('nothing changed: a HAR entry and what was received', async (context) => {
    const signed = signedRequest();
    const headers = Object.entries(signed.headers).map(([name, value]) => ({ name, value }));
    const entries = [
      { request: { method: 'GET', url: 'https://api.example.com/', headers: [] } },
      { request: { method: 'POST', url: signed.url, headers, bodySize: 0 } },
    ];
    const files = { 'sent.har': JSON.stringify({ log: { entries } }), 'received.http': http(signed) };
    const argv = ['received.http', '--sent', 'sent.har', '--entry', '2', ...withKey];
    const { code, out } = await compared(context, files, argv);
    assert.equal(code, exits.ok.code, out);
    assert.match(out, /^Nothing that is signed changed between sent\.har and the service/);
  });

  it('hostile files reach no terminal as they are', async (context) => {
    const signed = signedRequest();
    const evil = http(signed).replace('\r\n', `\r\nX-${'A'.repeat(9)}: ${escapeCode}[31m\r\n`);
    const files = {
      'sent.http': http(signed),
      'received.http': evil.replace('Date: ', `Date: ${escapeCode}]0;x`),
    };
    const { out } = await compared(context, files, ['received.http', '--sent', 'sent.http', ...withKey]);
    assert.match(out, /Date: The value of the header changed/);
    assert.ok(!out.includes(escapeCode));
  });
});
