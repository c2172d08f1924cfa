import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { missing, startApplication } from './application.ts';
import type { Answer } from './exchange.ts';
import { Twins } from './twins.ts';

const program = '/usr/share/dokuwiki';
const skip = missing('php', program);

describe('DokuWiki, a wiki in PHP, behind the gateway', { skip }, () => {
  let twins: Twins;
  const cookies = new Map<string, string>();
  before(async () => {
    twins = await Twins.start(() => startApplication(({ folder, port }) => prepare(folder, port)), madeUp);
  });
  after(() => twins?.stop());

  /** Sends requests like a browser, which keeps cookies. */
  async function browse(
    method: string,
    path: string,
    body?: URLSearchParams | FormDataText,
  ): Promise<Answer> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const type = body instanceof URLSearchParams ? 'application/x-www-form-urlencoded' : body?.type;
    const answer = await twins.call(method, path, {
      headers: [
        ...(cookie === '' ? [] : [['Cookie', cookie] as const]),
        ...(type === undefined ? [] : [['Content-Type', type] as const]),
      ],
      ...(body && { body: body.toString() }),
    });
    for (const [name, value] of answer.headers) {
      const [, key = '', text = ''] = /^([^=]+)=([^;]*)/.exec(value) ?? [];
      if (name.toLowerCase() === 'set-cookie') cookies.set(key, text);
    }
    return answer;
  }

  test('is crawled, page by page', async () => {
    // The style sheets and scripts are created on first request, and their names contain that time.
    const left = ['/doku.php?id=wiki:syntax', '/lib/exe/js.php', '/lib/exe/css.php'];
    const seen = new Set(left);
    for (let path = left.shift(); path !== undefined && seen.size < 150; path = left.shift()) {
      const { body } = await twins.call('GET', path);
      for (const [, link] of body.toString('latin1').matchAll(/(?:href|src)="(\/(?!\/)[^"#]*)/g)) {
        const found = link!.replaceAll('&amp;', '&');
        if (seen.has(found) || found.includes('do=export')) continue;
        seen.add(found);
        left.push(found);
      }
    }
    assert.ok(twins.comparedCount > 60, `${twins.comparedCount} pages`);
  });

  test('has people sign in, edit and sign out', async () => {
    await browse('GET', '/doku.php?do=login');
    const login = { id: 'start', do: 'login', sectok: await token('start'), u: 'admin', p: 'secret' };
    const wrong = await browse('POST', '/doku.php', new URLSearchParams({ ...login, p: 'other' }));
    assert.match(wrong.body.toString(), /username or password was wrong/);
    const signedIn = await browse('POST', '/doku.php?id=start', new URLSearchParams(login));
    assert.equal(signedIn.status, 302);
    assert.match((await browse('GET', '/doku.php?id=start')).body.toString(), /Logged in as/);
    const text = 'A page & more\n====== Ünïcode ======\n'.repeat(100);
    const edit = await browse('GET', '/doku.php?id=new:page&do=edit');
    const fields = {
      ...hiddenFields(edit),
      id: 'new:page',
      wikitext: text,
      summary: 'made',
      'do[save]': '1',
    };
    const saved = await browse('POST', '/doku.php', new URLSearchParams(fields));
    assert.equal(saved.status, 302);
    const page = await browse('GET', saved.header('location').replace(/^https?:\/\/[^/]+|#.*$/g, ''));
    assert.match(page.body.toString(), /Ünïcode/);
    await browse('GET', '/doku.php?id=new:page&do=export_raw');
    await browse('GET', '/doku.php?id=start&do=logout&sectok=' + (await token('start')));
  });

  test('takes files as a form and gives them back in parts', async () => {
    const login = { id: 'start', do: 'login', sectok: await token('start'), u: 'admin', p: 'secret' };
    await browse('POST', '/doku.php', new URLSearchParams(login));
    const manager = await browse('GET', '/lib/exe/mediamanager.php?ns=');
    const form = new FormDataText({
      sectok: /name="sectok" value="(\w+)"/.exec(manager.body.toString())![1]!,
      ns: '',
      mediaid: 'big.gz',
    });
    form.file('upload', 'big.gz', 'A line of a file.\r\n'.repeat(40_000));
    const uploaded = await browse('POST', '/lib/exe/mediamanager.php', form);
    assert.match(uploaded.body.toString(), /Upload successful/);
    const whole = await twins.call('GET', '/lib/exe/fetch.php?media=big.gz');
    assert.equal(whole.body.length, 19 * 40_000);
    for (const range of [
      'bytes=0-9',
      'bytes=500-',
      'bytes=-7',
      'bytes=5-2',
      'bytes=9999999-',
      'bytes=0-1,4-5',
    ])
      await twins.call('GET', '/lib/exe/fetch.php?media=big.gz', { headers: [['Range', range]] });
    const condition = [['If-None-Match', whole.header('etag')]] as const;
    assert.equal(
      (await twins.call('GET', '/lib/exe/fetch.php?media=big.gz', { headers: condition })).status,
      304,
    );
    await twins.call('HEAD', '/lib/exe/fetch.php?media=big.gz');
  });

  /** The token against forged forms, from a page that has one. */
  async function token(id: string): Promise<string> {
    const page = await browse('GET', `/doku.php?id=${id}&do=login`);
    return hiddenFields(page)['sectok'] ?? /sectok=(\w+)/.exec(page.body.toString())?.[1] ?? '';
  }
});

/** Writes a wiki's files, and returns how it is started. */
function prepare(folder: string, port: number): { program: string; args: string[] } {
  const settings = join(folder, 'conf');
  const data = join(folder, 'data');
  mkdirSync(settings);
  cpSync('/var/lib/dokuwiki/data', data, { recursive: true, preserveTimestamps: true });
  // Both copies sign links to pictures with the same secret.
  writeFileSync(join(data, 'meta/_htcookiesalt2'), 'salt');
  const hash = 'echo password_hash("secret", PASSWORD_BCRYPT, ["cost" => 4]);';
  const hashed = spawnSync('php', ['-r', hash], { encoding: 'utf8' });
  writeFileSync(join(settings, 'users.auth.php'), `admin:${hashed.stdout}:Admin:admin@example.com:admin\n`);
  writeFileSync(join(settings, 'acl.auth.php'), '* @ALL 1\n* @admin 255\n');
  const values = { savedir: data, useacl: 1, superuser: '@admin', updatecheck: 0, securecookie: 0 };
  const lines = Object.entries(values).map(([name, value]) => `$conf['${name}'] = '${value}';\n`);
  writeFileSync(join(settings, 'local.php'), `<?php\n${lines.join('')}`);
  const first = join(folder, 'first.php');
  writeFileSync(first, `<?php define('DOKU_CONF', '${settings}/');\n`);
  const args = ['-d', `auto_prepend_file=${first}`, '-S', `127.0.0.1:${port}`, '-t', program];
  return { program: 'php', args };
}

function hiddenFields({ body }: Answer): Record<string, string> {
  const inputs = body.toString().matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g);
  return Object.fromEntries([...inputs].map(([, name, value]) => [name!, value!]));
}

/** A form with files, as browsers write it (RFC 7578). */
class FormDataText {
  readonly type = 'multipart/form-data; boundary=----a-boundary';
  #text = '';

  constructor(fields: Readonly<Record<string, string>>) {
    for (const [name, value] of Object.entries(fields)) this.#part(`name="${name}"`, value);
  }

  file(name: string, filename: string, content: string): void {
    this.#part(`name="${name}"; filename="${filename}"\r\nContent-Type: application/gzip`, content);
  }

  toString(): string {
    return `${this.#text}------a-boundary--\r\n`;
  }

  #part(disposition: string, content: string): void {
    this.#text += `------a-boundary\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
  }
}

/** Sessions, tokens, hashes that contain the session, and the times at which each copy did something. */
const madeUp =
  /(?<=DokuWiki=)\w+|(?<=DW\w{32}=)[\w%]+|\b[0-9a-f]{32}\b|\w{3}, \d\d \w{3} 20\d\d \d\d:\d\d:\d\d GMT|20\d\d[-/]\d\d[-/]\d\d.\d\d:\d\d(?::\d\d[+-]\d\d:\d\d)?|\b1[789]\d{8}\b/g;
