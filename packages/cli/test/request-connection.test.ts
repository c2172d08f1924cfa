import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { exits } from '../src/exits.ts';
import { missingPrograms } from './installed.ts';
import { folderWithKeys, pair } from './key-files.ts';
import { type Ended, run } from './run.ts';
import { startSignedService } from './signed-service.ts';

const host = 'api.example.test';
const credentials = ['--client-id', 'client_test', '--key', 'private.pem'];
const skip = missingPrograms('openssl');

function request(folder: string, ...argv: string[]): Promise<Ended> {
  return run(['request', 'GET', ...argv, ...credentials], { folder });
}

describe('request --resolve', () => {
  for (const [resolution, says] of [
    ['', /does not have the form HOST:PORT:ADDRESS, such as api\.example\.com:443:203\.0\.113\.7/],
    [host, /does not have the form/],
    [`${host}:443`, /does not have the form/],
    [`${host}:0:127.0.0.1`, /does not have the form/],
    [`${host}:99999:127.0.0.1`, /does not have the form/],
    [`${host}:https:127.0.0.1`, /does not have the form/],
    [`${host}/v1:443:127.0.0.1`, /does not have the form/],
    [`api example test:443:127.0.0.1`, /does not have the form/],
    [`${host}:443:`, /"" is not an IP address/],
    [`${host}:443:other.example.test`, /"other\.example\.test" is not an IP address/],
    [`${host}:443:[127.0.0.1`, /is not an IP address/],
    [`other.example.test:443:127.0.0.1`, /has no effect: this request goes to api\.example\.test:443/],
    [`${host}:8443:127.0.0.1`, /has no effect: this request goes to api\.example\.test:443/],
  ] as const) {
    it(`refuses "${resolution}"`, async (context) => {
      const folder = folderWithKeys(context);
      const { code, errors } = await request(folder, `https://${host}/`, '--resolve', resolution);
      assert.match(errors, says);
      assert.equal(code, exits.usage.code);
    });
  }

  it('refuses several addresses, and a URL that has an address itself', async (context) => {
    const folder = folderWithKeys(context);
    const two = ['127.0.0.1', '127.0.0.2'].flatMap((address) => ['--resolve', `${host}:80:${address}`]);
    assert.match((await request(folder, `http://${host}/`, ...two)).errors, /several addresses/);
    const direct = await request(folder, 'http://127.0.0.1:9/', '--resolve', '127.0.0.1:9:127.0.0.1');
    assert.match(direct.errors, /for host names, but the URL has the address 127\.0\.0\.1/);
  });

  it('says which address did not answer', async (context) => {
    const folder = folderWithKeys(context);
    const { code, errors } = await request(folder, `http://${host}:9/`, '--resolve', `${host}:9:127.0.0.1`);
    assert.match(
      errors,
      /Nothing listens at api\.example\.test:9\..*--resolve led to the address 127\.0\.0\.1/s,
    );
    assert.equal(code, exits.unreachable.code);
  });

  it('connects to the address; the signed URL and Host keep the name, in any case', async (context) => {
    const service = await startSignedService(context, { publicKey: pair.publicKey });
    const { port } = new URL(service.origin);
    const folder = folderWithKeys(context);
    const url = `http://API.example.test:${port}/v1/whoami`;
    const { code, errors } = await request(folder, url, '--resolve', `Api.Example.Test:${port}:127.0.0.1`);
    assert.equal(code, exits.ok.code, errors);
    const { rawHeaders = [], verification } = service.arrived[0] ?? {};
    assert.equal(rawHeaders[rawHeaders.indexOf('Host') + 1], `${host}:${port}`);
    assert.equal(verification?.ok, true);
  });

  it('takes a name with letters beyond ASCII, as the URL does', async (context) => {
    const service = await startSignedService(context, { publicKey: pair.publicKey });
    const { port } = new URL(service.origin);
    const url = `http://bücher.example:${port}/v1/whoami`;
    const resolve = ['--resolve', `Bücher.example:${port}:127.0.0.1`];
    const { code, errors } = await request(folderWithKeys(context), url, ...resolve);
    assert.equal(code, exits.ok.code, errors);
  });
});

describe('request --cacert', () => {
  it('refuses a file that does not exist, has no certificate, or a damaged one', async (context) => {
    const folder = folderWithKeys(context);
    const damaged = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
    writeFileSync(join(folder, 'damaged.pem'), damaged);
    writeFileSync(join(folder, 'cut.pem'), damaged.slice(0, 40));
    for (const [file, says] of [
      ['missing.pem', /The certificate file missing\.pem does not exist/],
      ['private.pem', /private\.pem has no certificate in PEM form.*openssl x509 -inform DER/],
      ['damaged.pem', /The certificate in damaged\.pem is damaged/],
      ['cut.pem', /A certificate in cut\.pem is damaged: it has no end/],
    ] as const) {
      const { code, errors } = await request(folder, `https://${host}/`, '--cacert', file);
      assert.match(errors, says);
      assert.equal(code, exits.local.code);
    }
  });

  it('refuses a URL without TLS', async (context) => {
    const { code, errors } = await request(folderWithKeys(context), `http://${host}/`, '--cacert', 'a.pem');
    assert.match(errors, /--cacert is for URLs that begin with https:/);
    assert.equal(code, exits.usage.code);
  });

  it('trusts the file for this request, and still verifies the certificate', { skip }, async (context) => {
    const folder = folderWithKeys(context);
    const names = await startTls(context, makeCertificate(folder, 'own', host));
    makeCertificate(folder, 'other', host);
    const url = `https://${host}:${names.port}/v1/whoami`;
    const resolve = ['--resolve', `${host}:${names.port}:127.0.0.1`];
    const untrusted = await request(folder, url, ...resolve);
    assert.match(untrusted.errors, /not trusted .*NODE_EXTRA_CA_CERTS.*--cacert/s);
    const wrong = await request(folder, url, ...resolve, '--cacert', 'other.pem');
    assert.match(wrong.errors, /not trusted .*no authority in the file of --cacert/s);
    assert.deepEqual([untrusted.code, wrong.code], [exits.unreachable.code, exits.unreachable.code]);
    assert.deepEqual(names.answered, []);

    const trusted = await request(folder, url, ...resolve, '--cacert', 'own.pem');
    assert.equal(trusted.code, exits.ok.code, trusted.errors);
    assert.deepEqual(names.answered, [{ servername: host, host: `${host}:${names.port}` }]);
  });

  it('refuses a file that ends within its second certificate', { skip }, async (context) => {
    const folder = folderWithKeys(context);
    const { cert } = makeCertificate(folder, 'own', host);
    writeFileSync(join(folder, 'cut.pem'), Buffer.concat([cert, cert.subarray(0, cert.length / 2)]));
    const { code, errors } = await request(folder, `https://${host}/`, '--cacert', 'cut.pem');
    assert.match(errors, /A certificate in cut\.pem is damaged: it has no end/);
    assert.equal(code, exits.local.code);
  });

  it(
    'accepts an intermediate authority without its root, for the right host only',
    { skip },
    async (context) => {
      const folder = folderWithKeys(context);
      makeCertificate(folder, 'root', 'Root');
      makeCertificate(folder, 'intermediate', 'Intermediate', 'root');
      for (const [subject, ends] of [
        ['other.example.test', exits.unreachable],
        [host, exits.ok],
      ] as const) {
        const { port } = await startTls(context, makeCertificate(folder, 'own', subject, 'intermediate'));
        const options = ['--resolve', `${host}:${port}:127.0.0.1`, '--cacert', 'intermediate.pem'];
        const { code, errors } = await request(folder, `https://${host}:${port}/`, ...options);
        assert.equal(code, ends.code, errors);
        if (ends === exits.unreachable) assert.match(errors, /ERR_TLS_CERT_ALTNAME_INVALID/);
      }
    },
  );

  it('does not accept a certificate for another host', { skip }, async (context) => {
    const folder = folderWithKeys(context);
    const names = await startTls(context, makeCertificate(folder, 'own', 'other.example.test'));
    const options = ['--resolve', `${host}:${names.port}:127.0.0.1`, '--cacert', 'own.pem'];
    const { code, errors } = await request(folder, `https://${host}:${names.port}/`, ...options);
    assert.match(errors, /not trusted \(ERR_TLS_CERT_ALTNAME_INVALID\)/);
    assert.equal(code, exits.unreachable.code);
    assert.deepEqual(names.answered, []);
  });
});

interface Certificate {
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** Makes a certificate, in NAME.pem, issued by one made before, or by itself. */
function makeCertificate(folder: string, name: string, subject: string, issuer?: string): Certificate {
  const key = join(folder, `${name}.key`);
  const cert = join(folder, `${name}.pem`);
  const kind = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${subject}`];
  const files = ['-addext', `subjectAltName=DNS:${subject}`, '-keyout', key, '-out', cert];
  const issuing = (file: string): string => join(folder, `${issuer}.${file}`);
  const signing = issuer === undefined ? [] : ['-CA', issuing('pem'), '-CAkey', issuing('key')];
  execFileSync('openssl', [...kind, ...files, ...signing], { stdio: 'pipe' });
  return { key: readFileSync(key), cert: readFileSync(cert) };
}

/** Starts a server that records the names by which it is called, and responds to everything. */
async function startTls(
  context: TestContext,
  certificate: Certificate,
): Promise<{ readonly port: number; readonly answered: object[] }> {
  const answered: object[] = [];
  const server = createServer(certificate, (incoming, response) => {
    const { servername } = incoming.socket as TLSSocket & { readonly servername?: unknown };
    answered.push({ servername, host: incoming.headers.host });
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, answered };
}
