import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { missing, startApplication } from './application.ts';
import { Twins } from './twins.ts';

describe('Radicale, a CalDAV server, behind the gateway', { skip: missing('/usr/bin/radicale') }, () => {
  let twins: Twins;
  before(async () => {
    twins = await Twins.start(
      () =>
        startApplication(({ folder, port }) => {
          const passwords = join(folder, 'passwords');
          writeFileSync(passwords, 'alice:any\n');
          const settings = [
            `[server]\nhosts = 127.0.0.1:${port}`,
            `[auth]\ntype = htpasswd\nhtpasswd_encryption = plain\nhtpasswd_filename = ${passwords}`,
            `[storage]\nfilesystem_folder = ${join(folder, 'collections')}`,
          ];
          const file = join(folder, 'settings');
          writeFileSync(file, settings.join('\n'));
          return {
            program: '/usr/bin/radicale',
            args: ['--config', file],
            // Both copies list sets in the same order.
            environment: { PYTHONHASHSEED: '0' },
          };
        }),
      madeUp,
    );
  });
  after(() => twins?.stop());

  test('sends browsers to its pages', async () => {
    assert.equal((await twins.call('GET', '/')).status, 302);
    assert.equal((await twins.call('GET', '/.well-known/caldav')).status, 301);
    for (const path of ['/.web', '/.web/', '/.web/fn.js', '/.web/css/main.css', '/.web/nothing'])
      await twins.call('GET', path, { headers: [['Accept-Encoding', 'gzip']] });
    await twins.call('HEAD', '/.web/fn.js');
    await twins.call('OPTIONS', '/');
  });

  test('asks for a password', async () => {
    const answer = await twins.call('PROPFIND', '/alice/');
    assert.equal(answer.status, 401);
    assert.equal(answer.header('www-authenticate'), 'Basic realm="Radicale - Password Required"');
    await twins.call('PUT', '/alice/calendar/1.ics', { body: event('1') });
    await twins.call('PROPFIND', '/bob/', { headers: alice });
  });

  test('makes a calendar', async () => {
    const principal = await twins.call('PROPFIND', '/', { headers: [...alice, depth(0)], body: properties });
    assert.equal(principal.status, 207);
    await twins.call('PROPFIND', '/alice/', { headers: [...alice, depth(1)] });
    const made = await twins.call('MKCALENDAR', '/alice/calendar/', { headers: alice, body: newCalendar });
    assert.equal(made.status, 201);
    await twins.call('MKCALENDAR', '/alice/calendar/', { headers: alice, body: newCalendar });
    await twins.call('PROPPATCH', '/alice/calendar/', { headers: alice, body: rename });
    await twins.call('PROPFIND', '/alice/calendar/', { headers: [...alice, depth(1)], body: properties });
  });

  test('keeps events, and changes none that somebody else has changed', async () => {
    for (const name of ['1', '2', 'with space', 'ü'])
      await twins.call('PUT', pathOf(name), { headers: [...alice, calendarText], body: event(name) });
    const first = await twins.call('GET', pathOf('1'), { headers: alice });
    const etag = first.header('etag');
    const changed = event('1').replace('SUMMARY:', 'SUMMARY:changed ');
    const wanted = [
      ['If-Match', '"other"', 412],
      ['If-None-Match', '*', 412],
      ['If-Match', etag, 201],
      ['If-Match', etag, 412],
    ] as const;
    for (const [name, value, status] of wanted) {
      const headers = [...alice, calendarText, [name, value] as const];
      assert.equal((await twins.call('PUT', pathOf('1'), { headers, body: changed })).status, status);
    }
    await twins.call('GET', pathOf('1'), { headers: alice });
    await twins.call('HEAD', pathOf('2'), { headers: alice });
    await twins.call('PUT', pathOf('broken'), { headers: [...alice, calendarText], body: 'BEGIN:VCALENDAR' });
    await twins.call('GET', '/alice/calendar/', { headers: [...alice, ['Accept-Encoding', 'gzip']] });
  });

  test('reports', async () => {
    const paths = ['1', 'with space', 'ü', 'nothing'].map(pathOf);
    for (const body of [query, multiget(paths), syncCollection]) {
      const answer = await twins.call('REPORT', '/alice/calendar/', { headers: [...alice, depth(1)], body });
      assert.equal(answer.status, 207);
    }
    await twins.call('REPORT', '/alice/calendar/', { headers: alice, body: '<broken' });
  });

  test('moves and deletes', async () => {
    const to = (path: string) => ['Destination', twins.address + path] as const;
    const moves = [pathOf('3'), pathOf('3'), pathOf('1'), '/bob/1.ics'];
    for (const path of moves) await twins.call('MOVE', pathOf('2'), { headers: [...alice, to(path)] });
    const strange = ['Destination', 'http://other.example/alice/1.ics'] as const;
    await twins.call('MOVE', pathOf('1'), { headers: [...alice, strange] });
    await twins.call('DELETE', pathOf('3'), { headers: [...alice, ['If-Match', '"other"']] });
    await twins.call('DELETE', pathOf('3'), { headers: alice });
    await twins.call('DELETE', pathOf('3'), { headers: alice });
    await twins.call('DELETE', '/alice/calendar/', { headers: alice });
    await twins.call('PROPFIND', '/alice/', { headers: [...alice, depth(1)] });
  });

  test('takes and gives a whole address book', async () => {
    const cards = Array.from({ length: 50 }, (_, index) => card(index)).join('');
    const headers = [...alice, ['Content-Type', 'text/vcard; charset=utf-8'] as const];
    assert.equal((await twins.call('PUT', '/alice/people/', { headers, body: cards })).status, 201);
    const all = await twins.call('GET', '/alice/people/', { headers: alice });
    assert.equal(all.body.toString('utf8').match(/^BEGIN:VCARD/gm)?.length, 50);
    const answer = await twins.call('GET', '/alice/people/', {
      headers: [...alice, ['Accept-Encoding', 'gzip']],
    });
    assert.equal(answer.header('content-encoding'), 'gzip');
    assert.ok(twins.comparedCount > 40);
  });
});

/** Each copy has its own times of storage, and its own names for states of a collection. */
const madeUp = /(?<=Last-Modified: |getlastmodified>)\w{3}, [^\n<]+ GMT|(?<=\/ns\/sync\/)[0-9a-f]{64}/g;

const alice = [['Authorization', `Basic ${Buffer.from('alice:any').toString('base64')}`]] as const;
const calendarText = ['Content-Type', 'text/calendar; charset=utf-8'] as const;

function depth(levels: number): readonly [string, string] {
  return ['Depth', String(levels)];
}

function pathOf(name: string): string {
  return `/alice/calendar/${encodeURIComponent(name)}.ics`;
}

function event(uid: string): string {
  const times = 'DTSTAMP:20260101T000000Z|DTSTART:20260102T090000Z|DTEND:20260102T100000Z';
  const lines = `BEGIN:VEVENT|UID:${uid}|${times}|SUMMARY:Meeting ${uid} ☕|END:VEVENT`;
  return `BEGIN:VCALENDAR|VERSION:2.0|PRODID:-//test//EN|${lines}|END:VCALENDAR|`.replaceAll('|', '\r\n');
}

function card(index: number): string {
  const name = `Person ${index}`;
  return `BEGIN:VCARD|VERSION:3.0|UID:card-${index}|FN:${name}|N:${name};;;;|END:VCARD|`.replaceAll(
    '|',
    '\r\n',
  );
}

const spaces = 'xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"';
const shown = '<prop><getetag/><displayname/><resourcetype/><C:calendar-data/></prop>';
const properties = `<propfind ${spaces}><prop><current-user-principal/><displayname/><resourcetype/></prop></propfind>`;
const newCalendar = `<C:mkcalendar ${spaces}><set><prop><displayname>Büro</displayname></prop></set></C:mkcalendar>`;
const rename = `<propertyupdate ${spaces}><set><prop><displayname>Home</displayname></prop></set></propertyupdate>`;
const range = '<C:time-range start="20260101T000000Z" end="20260201T000000Z"/>';
const filter = `<C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT">${range}</C:comp-filter></C:comp-filter>`;
const query = `<C:calendar-query ${spaces}>${shown}<C:filter>${filter}</C:filter></C:calendar-query>`;
const syncCollection = `<sync-collection ${spaces}><sync-token/><prop><getetag/></prop></sync-collection>`;

function multiget(paths: readonly string[]): string {
  const links = paths.map((path) => `<href>${path}</href>`).join('');
  return `<C:calendar-multiget ${spaces}>${shown}${links}</C:calendar-multiget>`;
}
