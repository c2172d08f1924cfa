import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { describe, test } from 'node:test';
import { openProxiedApi, type ProxiedApi } from '@countersign/testing/proxied-api';
import { cannotRun, recipes } from '@countersign/testing/proxy-process';
import { apiBaseUrl } from '@countersign/testing/running-service';

/** Lets a recipe speak HTTP/2 without TLS. */
const changes = {
  nginx: (text: string) => text.replace('listen 127.0.0.1:8080;', 'listen 127.0.0.1:8080 http2;'),
  'nginx-njs': (text: string) => text.replace('listen 127.0.0.1:8080;', 'listen 127.0.0.1:8080 http2;'),
  caddy: (text: string) => text.replace('admin off', 'admin off\n\tservers {\n\t\tprotocols h1 h2c\n\t}'),
  haproxy: (text: string) => text.replace('bind 127.0.0.1:8080', 'bind 127.0.0.1:8080 proto h2'),
};

for (const [name, change] of Object.entries(changes) as [keyof typeof changes, (text: string) => string][]) {
  const recipe = recipes[name];
  describe(`bodies without a length in HTTP/2, through ${name}`, { skip: cannotRun(recipe) }, () => {
    test('do not reach the API unless the signature covers them', async (t) => {
      const api = await openProxiedApi(t, recipe, { change });
      assert.equal(await askHttp2(api, 'GET', '/without'), 200);
      for (const method of ['GET', 'POST', 'DELETE'])
        await askHttp2(api, method, `/${method}`, 'x'.repeat(100));
      const reached = api.received.map(({ method, target, body }) => [method, target, body.length]);
      // nginx cannot see such a body, so its recipe forwards none.
      const emptied = ['GET', 'POST', 'DELETE'].map((method) => [method, `/${method}`, 0]);
      assert.deepEqual(reached, [['GET', '/without', 0], ...(name === 'nginx' ? emptied : [])]);
    });
  });
}

/** Signs a request without a body, and sends it with one. */
async function askHttp2(api: ProxiedApi, method: string, path: string, body?: string): Promise<number> {
  const session = connect(`http://127.0.0.1:${api.proxy.port}`);
  const { headers } = api.signer.sign({ method, url: apiBaseUrl + path });
  const own = { ':method': method, ':path': path, ':authority': new URL(apiBaseUrl).host };
  const stream = session.request({ ...own, ...headers }, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const [answer] = (await once(stream, 'response')) as [Record<string, number>];
  stream.resume();
  await once(stream, 'close');
  session.close();
  return answer[':status']!;
}
