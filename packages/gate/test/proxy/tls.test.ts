import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { apiBaseUrl, runService, type RunningService } from '@countersign/testing/running-service';

const folder = mkdtempSync(join(tmpdir(), 'countersign-tls-'));
const file = (name: string): string => join(folder, name);
after(() => rmSync(folder, { recursive: true }));

const skip = spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed';

/** Makes a certificate for localhost that signs itself. */
function makeCertificate(name: string): void {
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)];
  const certificate = 'req -x509 -newkey rsa:2048 -nodes -days 2'.split(' ');
  const { status, stderr } = spawnSync('openssl', [...certificate, ...subject, ...files]);
  assert.equal(status, 0, stderr.toString());
}

/** Starts a service before an API at localhost, and reads a path through it. */
async function readThrough(
  port: number,
  upstream: object,
): Promise<{ status: number; text: string; code: string | undefined }> {
  const upstreams = { shop: { addresses: `https://localhost:${port}`, ...upstream } };
  const running: RunningService = await runService({
    COUNTERSIGN_UPSTREAMS: JSON.stringify(upstreams),
    COUNTERSIGN_API_BASE_URLS: apiBaseUrl,
  });
  try {
    const { signer } = await running.addClient({ roles: ['api-user'] });
    const url = `${apiBaseUrl}/orders`;
    const body = 'an order';
    const { headers } = signer.sign({ method: 'POST', url, body });
    const { status, text } = await running.send({ method: 'POST', url, body, headers: { ...headers } });
    const code = text.startsWith('{') ? (JSON.parse(text) as { code: string }).code : undefined;
    return { status, text, code };
  } finally {
    await running.close();
  }
}

describe('an upstream with TLS', { skip }, () => {
  let server: Server;
  let modern: Http2SecureServer;
  const portOf = (one: Server | Http2SecureServer): number => (one.address() as AddressInfo).port;

  before(async () => {
    for (const name of ['server', 'gateway', 'stranger']) makeCertificate(name);
    const own = { key: readFileSync(file('server.key')), cert: readFileSync(file('server.pem')) };
    server = createServer(
      { ...own, ca: readFileSync(file('gateway.pem')), requestCert: true, rejectUnauthorized: true },
      (request, response) => {
        response.end(`hello ${String((request.socket as TLSSocket).getPeerCertificate().subject.CN)}`);
      },
    );
    modern = createSecureServer({ ...own, allowHTTP1: true }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { 'content-length': length, 'countersign-client-id': client } = request.headers;
        response.setHeader('X-One', ['a', 'b']);
        response.end(
          `HTTP/${request.httpVersion} ${length} ${Buffer.concat(chunks).toString()} ${typeof client}`,
        );
      });
    });
    server.listen(0, '127.0.0.1');
    modern.listen(0, '127.0.0.1');
    await Promise.all([once(server, 'listening'), once(modern, 'listening')]);
  });
  after(async () => {
    await Promise.all(
      [server, modern].map(async (one) => {
        const closed = once(one, 'close');
        one.close();
        await closed;
      }),
    );
  });

  const trust = { certificateAuthorityFile: file('server.pem') };
  const ownCertificate = { certificateFile: file('gateway.pem'), keyFile: file('gateway.key') };

  test('whose certificate is not trusted gets nothing', async () => {
    const { status, code } = await readThrough(portOf(server), { tls: ownCertificate });
    assert.deepEqual([status, code], [502, 'upstream_unavailable']);
  });

  test('whose certificate has another name gets nothing', async () => {
    const { code } = await readThrough(portOf(server), {
      tls: { ...trust, ...ownCertificate, serverName: 'other.example' },
    });
    assert.equal(code, 'upstream_unavailable');
  });

  test('that asks for a certificate refuses a gateway without the right one', async () => {
    const stranger = { certificateFile: file('stranger.pem'), keyFile: file('stranger.key') };
    assert.match(String((await readThrough(portOf(server), { tls: trust })).code), /^upstream_/);
    assert.match(
      String((await readThrough(portOf(server), { tls: { ...trust, ...stranger } })).code),
      /^upstream_/,
    );
  });

  test('gets requests with the right one', async () => {
    const { status, text } = await readThrough(portOf(server), { tls: { ...trust, ...ownCertificate } });
    assert.deepEqual([status, text], [200, 'hello gateway']);
  });

  test('speaks HTTP/2 if it is asked for, and HTTP/1.1 otherwise', async () => {
    const withHttp2 = await readThrough(portOf(modern), { tls: trust, http2: true });
    assert.deepEqual([withHttp2.status, withHttp2.text], [200, 'HTTP/2.0 8 an order string']);
    const without = await readThrough(portOf(modern), { tls: trust });
    assert.equal(without.text, 'HTTP/1.1 8 an order string');
  });
});
