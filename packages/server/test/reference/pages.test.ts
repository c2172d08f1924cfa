import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import {
  type OpenApiDocument,
  openApiDocument,
  operations,
  problems,
  problemCodesMetBy,
} from '@countersign/contract';
import { findings } from '@countersign/explain';
import { type Answer, baseUrl, type RunningService, runService } from '@countersign/testing/running-service';
import { inline, paragraphs } from '../../src/reference/markup.ts';

let running: RunningService;
before(async () => {
  running = await runService();
});
after(() => running.close());

const get = (url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
  running.send({ method, url, headers });

describe('/openapi.json', () => {
  test('is the document of the contract, with the base URLs of the service', async () => {
    const answer = await get('/openapi.json');
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.equal(answer.headers['access-control-allow-origin'], '*');
    const document = answer.json() as unknown as OpenApiDocument;
    assert.deepEqual(document, JSON.parse(JSON.stringify(openApiDocument({ serverUrls: [baseUrl] }))));
  });

  test('a service on a port of its own choice names the URLs that it can be called at', async () => {
    const other = await runService({ COUNTERSIGN_PUBLIC_BASE_URLS: undefined });
    try {
      const answer = await fetch(`${other.service.address}/openapi.json`);
      const { servers } = (await answer.json()) as OpenApiDocument;
      assert.deepEqual(servers, [
        { url: `http://127.0.0.1:${other.port}` },
        { url: `http://localhost:${other.port}` },
      ]);
    } finally {
      await other.close();
    }
  });
});

describe('documents', () => {
  for (const path of ['/openapi.json', '/docs', '/docs/errors', '/docs/troubleshooting']) {
    test(`${path}: who has it already is told so, HEAD has no body, and a body is not taken`, async () => {
      const { headers, text } = await get(path);
      const entityTag = String(headers['etag']);
      assert.match(entityTag, /^"[\w-]{22}"$/);
      assert.equal(headers['cache-control'], 'no-cache');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['content-length'], String(Buffer.byteLength(text)));
      for (const known of [entityTag, `W/${entityTag}`, `"other", ${entityTag}`, '*']) {
        const answer = await get(path, { 'If-None-Match': known });
        assert.deepEqual([answer.status, answer.text, answer.headers['etag']], [304, '', entityTag], known);
      }
      assert.equal((await get(path, { 'If-None-Match': '"other"' })).status, 200);
      const head = await get(path, {}, 'HEAD');
      assert.deepEqual([head.status, head.text], [200, '']);
      assert.equal((await running.send({ method: 'GET', url: path, body: 'x' })).status, 401);
      assert.equal((await get(path, {}, 'POST')).status, 401);
    });
  }
});

describe('pages', () => {
  const anchorsIn = (html: string): string[] =>
    [...html.matchAll(/ id="([^"]*)"/g)].map((match) => match[1]!);

  for (const path of ['/docs', '/docs/errors', '/docs/troubleshooting']) {
    test(`${path} runs nothing and loads nothing, and its policy allows only its own style`, async () => {
      const { headers, text } = await get(path);
      assert.equal(headers['content-type'], 'text/html; charset=utf-8');
      const style = /<style>([^]*?)<\/style>/.exec(text)![1]!;
      const hash = createHash('sha256').update(style).digest('base64');
      assert.equal(
        headers['content-security-policy'],
        `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      );
      assert.doesNotMatch(text, /<script|<img|<link|<iframe|\son\w+=|\sstyle=|\ssrc=|@import|url\(/i);
      assert.match(text, /^<!doctype html>\n<html lang="en">/);
      assert.match(text, /<meta name="viewport"/);
      assert.equal(text.match(/<h1>/g)?.length, 1);
    });

    test(`${path}: no anchor stands twice, and every link leads somewhere`, async () => {
      const { text } = await get(path);
      const anchors = anchorsIn(text);
      assert.equal(new Set(anchors).size, anchors.length);
      for (const [, href = ''] of text.matchAll(/ href="([^"]*)"/g)) {
        const [page = '', anchor] = href.split('#');
        const target = page === '' ? text : (await get(page)).text;
        assert.notEqual(target, '', href);
        if (anchor !== undefined) assert.ok(target.includes(` id="${anchor}"`), href);
      }
    });
  }

  test('every finding has its place on /docs/troubleshooting, where its page leads', async () => {
    const { text } = await get('/docs/troubleshooting');
    const articles = [...text.matchAll(/<article id="([^"]*)"/g)].map((match) => match[1]!);
    assert.deepEqual(new Set(articles), new Set(Object.keys(findings)));
    assert.equal(articles.length, Object.keys(findings).length);
    for (const [code, { cause }] of Object.entries(findings)) {
      const article = text.slice(text.indexOf(`<article id="${code}">`)).split('</article>')[0]!;
      assert.ok(
        article.replaceAll(/<[^>]*>/g, '').includes(cause.replaceAll('"', '&quot;').slice(0, 20)),
        code,
      );
    }
  });

  test('every operation and every schema has its place on /docs, and every code a link', async () => {
    const { text } = await get('/docs');
    const anchors = new Set(anchorsIn(text));
    for (const { id, path, method, callers } of Object.values(operations)) {
      assert.ok(anchors.has(id), id);
      const article = text.slice(text.indexOf(`<article id="${id}">`)).split('</article>')[0]!;
      assert.ok(article.includes(`>${method}</span><span class="path">${path}</span>`), id);
      assert.equal(article.includes('for people in the portal'), callers === 'people', id);
      const command = /<pre>(countersign request [^]*?)<\/pre>/.exec(article)?.[1] ?? '';
      const form = path.replaceAll('/', String.raw`\/`).replaceAll(/\{\w+\}/g, String.raw`[\w.%]+`);
      // No program can call what is for people.
      if (callers === 'people') assert.equal(command, '', id);
      else assert.match(command, new RegExp(`^countersign request ${method} '?${form}(?:[?\\s]|$)`), id);
      assert.ok(text.includes(`<li><a href="#${id}">`), `${id} is in the overview of its group`);
    }
    const { schemas } = openApiDocument({ serverUrls: [] }).components;
    for (const name of Object.keys(schemas)) assert.ok(anchors.has(`schema-${name}`), name);
    // What no operation answers: only another method, the portal's sign-in and the gateway.
    const others = new Set<string>([
      'method_not_allowed',
      ...problemCodesMetBy('sign-in'),
      ...problemCodesMetBy('protected API'),
    ]);
    for (const code of Object.keys(problems))
      if (!others.has(code)) assert.ok(text.includes(`/docs/errors#${code}"`), code);
  });
});

describe('markup', () => {
  test('what stands in a text cannot become markup', () => {
    assert.equal(inline('<b>&"`<i>`'), '&lt;b&gt;&amp;&quot;<code>&lt;i&gt;</code>');
    assert.equal(paragraphs('```\n<script>\n```'), '<pre>&lt;script&gt;</pre>');
  });
  test('code, emphasis, paragraphs', () => {
    assert.equal(
      paragraphs('a `b` *c*\n\nd * e * f'),
      '<p>a <code>b</code> <em>c</em></p>\n<p>d * e * f</p>',
    );
  });
});
