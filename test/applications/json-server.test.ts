import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startApplication } from './application.ts';
import { Twins } from './twins.ts';

const program = createRequire(import.meta.url).resolve('json-server/lib/cli/bin.js');

/** Enough rows that json-server compresses a response, and sends it in chunks. */
const posts = Array.from({ length: 60 }, (_, index) => ({
  id: index + 1,
  title: `Post ${index + 1}`,
  text: 'ünïcödé '.repeat(index),
}));

describe('json-server behind the gateway', () => {
  let twins: Twins;
  before(async () => {
    twins = await Twins.start(() =>
      startApplication(({ folder, port }) => {
        const comments = posts.map(({ id }) => ({ id, postId: (id % 7) + 1, body: `comment ${id}` }));
        const database = { posts, comments, profile: { name: 'typicode' } };
        writeFileSync(join(folder, 'db.json'), JSON.stringify(database));
        const args = [program, '--host', '127.0.0.1', '--port', String(port), join(folder, 'db.json')];
        return { program: process.execPath, args };
      }),
    );
  });
  after(() => twins?.stop());

  const json = [['Content-Type', 'application/json']] as const;

  test('reads, filters, sorts, pages and embeds', async () => {
    const paths =
      '/ /db /posts /posts/1 /posts/999 /profile /nothing /posts/ /Posts /posts/1/comments /posts? /posts?a=b?c ' +
      '/posts?title=Post%203 /posts?id=1&id=2 /posts?id_gte=10&id_lte=12 /posts?q=%C3%BCn /posts?_start=5&_end=8 ' +
      '/posts?_sort=title&_order=desc /posts?title_like=%5EPost%201 /posts?_embed=comments /comments?_expand=post';
    for (const path of paths.split(' ')) await twins.call('GET', path);
    const page = await twins.call('GET', '/posts?_page=3&_limit=7');
    assert.equal(page.header('x-total-count'), '60');
    // Links to other pages name the host that the client called.
    assert.ok(page.header('link').startsWith(`<${twins.address}/posts?_page=1&_limit=7>; rel="first"`));
  });

  test('answers every method alike', async () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE', 'PATCH', 'POST', 'PUT']) {
      await twins.call(method, '/posts/1');
      await twins.call(method, '/nothing');
    }
  });

  test('compresses for clients that ask for it, and sends chunks', async () => {
    for (const coding of ['gzip', 'deflate', 'br', 'gzip;q=0.5, identity', 'identity', '*']) {
      const answer = await twins.call('GET', '/posts', { headers: [['Accept-Encoding', coding]] });
      assert.equal(answer.header('content-length') === '', answer.header('content-encoding') !== '');
    }
  });

  test('revalidates', async () => {
    const etag = (await twins.call('GET', '/posts/2')).header('etag');
    for (const value of [etag, `W/"other", ${etag}`, '*', '"other"'])
      await twins.call('GET', '/posts/2', { headers: [['If-None-Match', value]] });
    const cached = await twins.call('HEAD', '/posts/2', { headers: [['If-None-Match', etag]] });
    assert.deepEqual([cached.status, cached.body.length], [304, 0]);
  });

  test('creates, replaces, changes and deletes', async () => {
    const created = await twins.call('POST', '/posts', { headers: json, body: '{"title": "new"}' });
    assert.deepEqual([created.status, created.header('location')], [201, `${twins.address}/posts/61`]);
    await twins.call('PUT', '/posts/61', { headers: json, body: '{"title": "replaced"}' });
    await twins.call('PATCH', '/posts/61', { headers: json, body: '{"text": "changed"}' });
    await twins.call('GET', '/posts/61');
    await twins.call('DELETE', '/posts/61');
    await twins.call('GET', '/posts/61');
    const form = [['Content-Type', 'application/x-www-form-urlencoded']] as const;
    await twins.call('POST', '/posts', { headers: form, body: 'title=a+form&text=%26' });
    await twins.call('PATCH', '/profile', { headers: json, body: '{"name": "other"}' });
    await twins.call('GET', '/db');
  });

  test('refuses alike', async () => {
    await twins.call('POST', '/posts', { headers: json, body: '{"title":' });
    await twins.call('POST', '/posts', { headers: json, body: '{"id": 1}' });
    await twins.call('POST', '/posts', { headers: [['Content-Type', 'text/x']], body: 'x' });
    await twins.call('POST', '/posts', { headers: json, body: JSON.stringify({ x: 'x'.repeat(11e6) }) });
  });

  test('answers other origins', async () => {
    const headers = [['Origin', 'https://app.example']] as const;
    const asked = [...headers, ['Access-Control-Request-Method', 'PUT']] as const;
    await twins.call('OPTIONS', '/posts/1', { headers: asked });
    const answer = await twins.call('GET', '/posts/1', { headers });
    assert.equal(answer.header('access-control-allow-origin'), 'https://app.example');
  });

  test('takes many requests at the same time', async () => {
    await Promise.all(posts.map(({ id }) => twins.call('GET', `/posts/${id}`)));
    assert.ok(twins.comparedCount > 100);
  });
});
