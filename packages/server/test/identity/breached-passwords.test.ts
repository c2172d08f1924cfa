import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import type { Answer } from '@countersign/testing/running-service';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { waitUntil } from '@countersign/testing/wait-until';
import { loadConfiguration } from '../../src/configuration/load-at-once.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { assertRefused } from './browser.ts';
import { goodPassword, openPeopleScene, otherPassword, tokenIn } from './people-scene.ts';

/* New passwords are held against the operator's list of leaked ones. */

const hashOf = (password: string): string => createHash('sha1').update(password).digest('hex').toUpperCase();

/** Lines with hashes of unknown passwords, and those of some passwords, in ascending order. */
function hashLines(passwords: readonly string[], others: number, line: (hash: string) => string): string[] {
  const hashes = Array.from({ length: others }, () => randomBytes(20).toString('hex').toUpperCase());
  return [...hashes, ...passwords.map(hashOf)].toSorted().map(line);
}

const fileOf = (t: TestContext, content: string | Buffer): string => {
  const file = join(temporaryFolder(t), 'leaked.txt');
  writeFileSync(file, content);
  return file;
};

const counted = (hash: string): string => `${hash}:${1 + (Number.parseInt(hash.slice(0, 6), 16) % 99_999)}`;

describe('a list that cannot be searched stops the start', () => {
  const mistakeOf = (file: string): string => {
    let message = '';
    assert.throws(
      () => loadConfiguration({ COUNTERSIGN_BREACHED_PASSWORDS_FILE: file }),
      (error: Error) => {
        ({ message } = error);
        return true;
      },
    );
    return message;
  };
  const hashLinesWrong = /must be a SHA-1 hash of 40 hexadecimal digits/;
  const sorted = hashLines([], 4000, counted);
  const swapped = [...sorted.slice(0, 2000), sorted[2001]!, sorted[2000]!, ...sorted.slice(2002)];
  const cases: readonly [string, string | Buffer, RegExp][] = [
    ['is empty', '\n', /must not be empty/],
    ['is packed', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0]), /must be a text file; unpack it first/],
    ['has hashes by count', sorted.toReversed().join('\n'), /in ascending order/],
    ['has two lines the wrong way round', swapped.slice(1990, 2010).join('\n'), /in ascending order/],
    [
      'has other lines among its hashes',
      [...sorted.slice(0, 9), 'password'].join('\n'),
      /must contain only SHA-1/,
    ],
    ['has NTLM hashes', `${'A'.repeat(32)}:1\n`, /other hashes than SHA-1/],
    ['has hashes behind a byte order mark', `\uFEFF${sorted.join('\n')}`, /byte order mark/],
    ['has more passwords than fit into memory', 'a leaked password\n'.repeat(1_000_000), /at most 16 MiB/],
    ['has a line without an end', `${sorted[0]}\n${'A'.repeat(10_000)}`, /must contain only SHA-1/],
    ['has a heading above its hashes', ['hash:count', ...sorted].join('\n'), hashLinesWrong],
    ['begins with an empty line', `\n${sorted.join('\n')}`, hashLinesWrong],
    ['begins with a space', ` ${sorted.join('\n')}`, hashLinesWrong],
    ['has a space behind its first hash', sorted.join('\n').replace('\n', ' \n'), hashLinesWrong],
    ['has counts behind spaces', sorted.join('\n').replaceAll(':', ' '), hashLinesWrong],
    ['has counts behind semicolons', sorted.join('\n').replaceAll(':', ';'), hashLinesWrong],
    ['has counts with separators', `${'A'.repeat(40)}:1,234\n`, hashLinesWrong],
    ['has SHA-256 hashes', `${'a'.repeat(64)}\n`, hashLinesWrong],
  ];
  for (const [what, content, message] of cases)
    test(`because it ${what}`, (t) => assert.match(mistakeOf(fileOf(t, content)), message));

  test('because it is a folder', (t) => assert.match(mistakeOf(temporaryFolder(t)), /must be a file/));

  test('but not one with equal lines, lower-case hashes or no last line break', (t) => {
    const [first = ''] = sorted;
    for (const content of [`${first}\n${first}\n${first}`, sorted.join('\n').toLowerCase(), `${first}\r\n`]) {
      const file = fileOf(t, content);
      const { breachedPasswordsFile } = loadConfiguration({ COUNTERSIGN_BREACHED_PASSWORDS_FILE: file });
      assert.equal(breachedPasswordsFile, file);
    }
  });
});

interface Trial {
  readonly change: (newPassword: string) => Promise<Answer>;
}

async function trial(t: TestContext, file: string, logFile?: string): Promise<Trial> {
  const scene = await openPeopleScene({
    environment: { COUNTERSIGN_BREACHED_PASSWORDS_FILE: file },
    ...(logFile !== undefined && { logger: createLogger('error', logFile) }),
  });
  t.after(() => scene.close());
  const browser = await scene.signedIn(await scene.addPerson());
  return {
    change: (newPassword) => browser.post('profile/password', { currentPassword: goodPassword, newPassword }),
  };
}

describe('a password in a list of hashes', () => {
  const leaked = Array.from({ length: 40 }, (_, index) => `quiet marble ${index} pebble`);
  const variants = {
    'with counts': (hash: string) => `${counted(hash)}\n`,
    'with counts and CRLF': (hash: string) => `${counted(hash)}\r\n`,
    'of hashes alone, in lower case': (hash: string) => `${hash.toLowerCase()}\n`,
  };
  for (const [name, line] of Object.entries(variants))
    test(`${name} is refused wherever it stands, and no other one is`, async (t) => {
      const { change } = await trial(t, fileOf(t, hashLines(leaked, 5000, line).join('')));
      for (const password of leaked) assertRefused(await change(password), 400, 'password_breached');
      assert.equal((await change(otherPassword)).status, 204);
    });

  test('is refused as the first, the last and the only one', async (t) => {
    const [one, two, three] = leaked
      .slice(0, 3)
      .toSorted((left, right) => (hashOf(left) < hashOf(right) ? -1 : 1)) as [string, string, string];
    for (const listed of [[one], [one, two], [one, two, three]]) {
      const { change } = await trial(t, fileOf(t, listed.map(hashOf).join('\n')));
      for (const password of listed) assertRefused(await change(password), 400, 'password_breached');
      assert.equal((await change(otherPassword)).status, 204);
    }
  });

  test('is found in the form that keyboards type, too', async (t) => {
    const composed = 'vélo océan forêt 41'.normalize('NFC');
    const { change } = await trial(t, fileOf(t, `${hashOf(composed)}\n`));
    assertRefused(await change(composed.normalize('NFD')), 400, 'password_breached');
  });
});

test('a password in a list of passwords is refused, whatever its case', async (t) => {
  const { change } = await trial(t, fileOf(t, 'one of many\r\nQuiet Marble 85 Pebble\r\n'));
  assertRefused(await change('quiet marble 85 PEBBLE'), 400, 'password_breached');
  assert.equal((await change(otherPassword)).status, 204);
});

test('a list of passwords is read at the start, and changes with the next one', async (t) => {
  const file = fileOf(t, 'quiet marble 85 pebble\n');
  const { change } = await trial(t, file);
  rmSync(file);
  assertRefused(await change('quiet marble 85 pebble'), 400, 'password_breached');
  assert.equal((await change(otherPassword)).status, 204);
});

test('while a list of hashes is smaller than at the start, nobody chooses a password', async (t) => {
  const lines = hashLines(['quiet marble 85 pebble'], 100, counted).join('\n');
  const file = fileOf(t, lines);
  const { change } = await trial(t, file);
  for (const content of ['', lines.slice(0, lines.indexOf('\n') + 1)]) {
    writeFileSync(file, content);
    assertRefused(await change('quiet marble 85 pebble'), 503, 'storage_unavailable');
    assertRefused(await change(otherPassword), 503, 'storage_unavailable');
  }
  writeFileSync(file, `${lines}\n${'F'.repeat(40)}\n`);
  assertRefused(await change('quiet marble 85 pebble'), 400, 'password_breached');
  assert.equal((await change(otherPassword)).status, 204);
});

test('it is refused at the set-up, with an invitation and with a link to reset, too', async (t) => {
  const leaked = 'quiet marble 85 pebble';
  const environment = { COUNTERSIGN_BREACHED_PASSWORDS_FILE: fileOf(t, `${leaked}\n`) };
  const scene = await openPeopleScene({ environment });
  t.after(() => scene.close());
  const link = await scene.running.service.people!.setUpLink();
  const first = { token: link!.split('=')[1]!, name: 'First', email: 'first@example.com', password: leaked };
  assertRefused(await scene.browser().post('set-up', first), 400, 'password_breached');

  const owner = await scene.signedIn(await scene.addPerson());
  const headers = { 'Countersign-Account': scene.accountId };
  const invited = await owner.post('/v1/invitations', { email: 'new@example.com', role: 'viewer' }, headers);
  assert.equal(invited.status, 201, invited.text);
  const invitation = tokenIn((await scene.mails(1))[0]!);
  const joining = { token: invitation, name: 'New', password: leaked };
  assertRefused(await scene.browser().post('invitation/accept', joining), 400, 'password_breached');

  await scene.browser().post('password/forgot', { email: 'ann@example.com' });
  const token = tokenIn((await scene.mails(2))[1]!);
  const reset = { token, password: leaked };
  assertRefused(await scene.browser().post('password/reset', reset), 400, 'password_breached');
  assert.equal(
    (await scene.browser().post('password/reset', { token, password: otherPassword })).status,
    204,
  );
});

test('while the list cannot be read, nobody chooses a password, and the log says why without it', async (t) => {
  const folder = temporaryFolder(t);
  const logFile = join(folder, 'log.jsonl');
  const file = fileOf(t, `${hashOf('x')}\n`);
  const { change } = await trial(t, file, logFile);
  rmSync(file);
  assertRefused(await change(otherPassword), 503, 'storage_unavailable');
  writeFileSync(file, 'no hash\n'.repeat(20));
  assertRefused(await change(otherPassword), 503, 'storage_unavailable');
  await waitUntil(
    () => readFileSync(logFile, 'utf8').split('leaked passwords cannot be read').length > 2,
    'two lines of the log',
  );
  const log = readFileSync(logFile, 'utf8');
  for (const secret of [otherPassword, hashOf(otherPassword), hashOf(otherPassword).toLowerCase()])
    assert.equal(log.includes(secret), false);
  writeFileSync(file, `${hashOf('x')}\n`);
  assert.equal((await change(otherPassword)).status, 204);
});
