import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { missing, type Preparation, startApplication } from './application.ts';
import { Twins } from './twins.ts';

const run = promisify(execFile);
const modules = '/usr/lib/apache2/modules';
const gitBackend = '/usr/lib/git-core/git-http-backend';
const compliance = '/usr/libexec/litmus';

describe('Apache behind the gateway', { skip: missing('/usr/sbin/apache2', gitBackend, compliance) }, () => {
  let twins: Twins;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-client-'));
    twins = await Twins.start(() => startApplication(prepare), madeUp);
  });
  after(async () => {
    await twins?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  describe('files', () => {
    const ranges =
      'bytes=0-99 bytes=100- bytes=-50 bytes=0-0,10-19 bytes=9-1 bytes=99999999- bytes=0-,5- lines=1-2';

    test('whole and in parts', async () => {
      for (const path of ['/', '/small.txt', '/nothing', '/folder', '/folder/', '/small.txt/below'])
        for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE', 'PUT', 'PATCH', 'LOCK'])
          await twins.call(method, path);
      for (const range of ranges.split(' '))
        for (const method of ['GET', 'HEAD'])
          await twins.call(method, '/large.bin', { headers: [['Range', range]] });
    });

    test('under conditions', async () => {
      const file = await twins.call('GET', '/small.txt');
      const [etag, modified] = [file.header('etag'), file.header('last-modified')];
      const statuses = [];
      for (const [name, value] of [
        ['If-None-Match', etag],
        ['If-None-Match', '"other"'],
        ['If-Match', etag],
        ['If-Match', '"other"'],
        ['If-Modified-Since', modified],
        ['If-Unmodified-Since', 'Mon, 01 Jan 2001 00:00:00 GMT'],
      ] as const)
        statuses.push((await twins.call('GET', '/small.txt', { headers: [[name, value]] })).status);
      assert.deepEqual(statuses, [304, 200, 200, 412, 304, 412]);
      const partly = [['Range', 'bytes=0-4'] as const];
      await twins.call('GET', '/small.txt', { headers: [...partly, ['If-Range', etag]] });
      await twins.call('GET', '/small.txt', { headers: [...partly, ['If-Range', '"other"']] });
    });

    test('compressed, in chunks', async () => {
      const answer = await twins.call('GET', '/long.txt', { headers: [['Accept-Encoding', 'gzip']] });
      assert.deepEqual([answer.header('content-encoding'), answer.header('content-length')], ['gzip', '']);
      await twins.call('HEAD', '/long.txt', { headers: [['Accept-Encoding', 'gzip']] });
    });

    test('of many megabytes, down and up', async () => {
      const { body } = await twins.call('GET', '/large.bin');
      assert.equal(body.length, 16 * 2 ** 20);
      await twins.call('PUT', '/dav/large.bin', { body });
      const back = await twins.call('GET', '/dav/large.bin');
      assert.ok(back.body.equals(body));
    });
  });

  test('passes the compliance tests of litmus, a WebDAV client', async () => {
    for (const suite of ['basic', 'copymove', 'props', 'locks', 'http']) {
      const { stdout } = await run(
        join(compliance, suite),
        ['--htdocs', '/usr/share/litmus/htdocs', `${twins.address}/dav/`],
        { cwd: folder },
      );
      assert.match(stdout, new RegExp(`summary for \`${suite}': of \\d+ tests run: \\d+ passed, 0 failed`));
    }
    twins.assertAlike();
  });

  test('is cloned from and pushed to by git', async () => {
    const git = (...args: readonly string[]): Promise<{ stdout: string }> =>
      run('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], {
        cwd: folder,
        env: { ...process.env, GIT_CONFIG_GLOBAL: '', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' },
      });
    const repository = `${twins.address}/git/project.git`;
    await git('clone', '--quiet', repository, 'one');
    for (let index = 0; index < 40; index++)
      writeFileSync(
        join(folder, `one/${index}`),
        createHash('sha512').update(`${index}`).digest('hex').repeat(500),
      );
    await git('-C', 'one', 'add', '.');
    await git('-C', 'one', 'commit', '--quiet', '-m', 'First');
    await git('-C', 'one', 'tag', 'v1');
    await git('-C', 'one', 'push', '--quiet', 'origin', 'HEAD:main', 'v1');
    await git('clone', '--quiet', '--branch', 'main', repository, 'two');
    await git('-C', 'two', 'fsck', '--strict');
    const heads = await Promise.all(['one', 'two'].map((one) => git('-C', one, 'rev-parse', 'HEAD', 'v1')));
    assert.equal(heads[0]!.stdout, heads[1]!.stdout);
    writeFileSync(join(folder, 'two/0'), 'changed');
    await git('-C', 'two', 'commit', '--quiet', '--all', '-m', 'Second');
    await git('-C', 'two', 'push', '--quiet', 'origin', 'HEAD:main', ':v1');
    await git('-C', 'one', 'pull', '--quiet', 'origin', 'main');
    await git('clone', '--quiet', '--depth', '1', '--branch', 'main', repository, 'three');
    twins.assertAlike();
  });
});

/**
 * Values that differ between the copies: each has its own times of files, locks and boundaries, and its own
 * order of methods and XML namespaces. Git divides its output into packets arbitrarily.
 */
const madeUp = new RegExp(
  [
    /(?<=<D:timeout>Second-)\d+|(?<=opaquelocktoken:)[0-9a-f-]{36}|(?<=boundary=|\n--)[0-9a-f]{9,16}|(?<=Content-Length: )\d+(?=\nContent-Type: multipart)/,
    /\w{3}, \d\d \w{3} 20\d\d \d\d:\d\d:\d\d GMT|20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/,
    /(?<=Allow: )[A-Z,]+|(?: xmlns:\w+="[^"]*")+|[0-9a-f]{4}\x01/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);
const longAgo = new Date('2020-01-01T00:00:00Z');

/** Writes the server's files, and returns the command that starts it. */
function prepare({ folder, port }: { folder: string; port: number }): ReturnType<Preparation> {
  const documents = join(folder, 'documents');
  const folders = ['documents', 'documents/folder', 'documents/dav', 'git', 'state'];
  for (const name of folders) mkdirSync(join(folder, name));
  const files = {
    'small.txt': 'A few words.\n',
    'long.txt': Array.from({ length: 20_000 }, (_, index) => `Line ${index * index}\n`).join(''),
    'large.bin': Buffer.alloc(16 * 2 ** 20, createHash('sha512').update('large').digest()),
    'folder/index.html': '<title>Folder</title>',
  };
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(documents, name), content);
    utimesSync(join(documents, name), longAgo, longAgo);
  }
  const repository = join(folder, 'git/project.git');
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', repository]);
  for (const setting of [
    ['http.receivepack', 'true'],
    ['pack.threads', '1'],
  ])
    execFileSync('git', ['-C', repository, 'config', ...setting]);
  const names = 'mpm_event authz_core dir mime filter deflate dav dav_fs dav_lock alias env cgid'.split(' ');
  const file = join(folder, 'apache.conf');
  writeFileSync(
    file,
    `
      ${names.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`).join('\n')}
      ServerName localhost
      Listen 127.0.0.1:${port}
      ServerRoot ${folder}
      PidFile ${folder}/state/pid
      ErrorLog ${folder}/state/errors
      ScriptSock ${folder}/state/scripts
      DavLockDB ${folder}/state/locks
      StartServers 1
      TypesConfig /dev/null
      AddType text/plain .txt
      AddType text/html .html
      DocumentRoot ${documents}
      # Any other ETag has the time of writing, and is weak (W/) for a second after it.
      FileETag Digest
      AddOutputFilterByType DEFLATE text/plain
      <Location /dav>
        Dav On
      </Location>
      SetEnv GIT_PROJECT_ROOT ${folder}/git
      SetEnv GIT_HTTP_EXPORT_ALL 1
      ScriptAlias /git/ ${gitBackend}/
    `,
  );
  return { program: '/usr/sbin/apache2', args: ['-D', 'FOREGROUND', '-f', file], isUnprivileged: true };
}
