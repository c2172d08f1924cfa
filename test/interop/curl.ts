import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { promisify } from 'node:util';
import { messageProfiles } from '../../packages/signature/src/on-web/messages.ts';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { freePort } from '@countersign/testing/free-port';
import { openProtectedApi } from '@countersign/testing/protected-api';

/** The program to try: a curl whose features have HTTPSIG. */
export const curlVariable = 'COUNTERSIGN_CURL';

/** One request that curl sends, and what the service must answer. */
interface CurlTry {
  readonly title: string;
  readonly options: readonly string[];
  readonly target: string;
  readonly status: number;
}

const digest = 'Content-Digest: sha-256=:uKX6Pq06GCcq2G8KSIFxTN+g6RjdX3nemD5ZoZHx7JM=:';
const body = ['--json', '{"amount":"12.50"}'];
const covering = (components: string): string[] => ['--httpsig-headers', components];

const tries: readonly CurlTry[] = [
  { title: 'a GET', options: [], target: '/orders', status: 200 },
  { title: 'a GET with a query', options: [], target: '/orders?state=open&x=%20y', status: 200 },
  { title: 'a DELETE', options: ['-X', 'DELETE'], target: '/orders/7', status: 200 },
  { title: 'a POST whose body is not bound', options: body, target: '/orders', status: 200 },
  {
    title: 'a POST whose digest is covered',
    options: [...body, '-H', digest, ...covering('method authority path content-digest:')],
    target: '/bound',
    status: 200,
  },
  {
    title: 'a POST with a wrong digest that is covered',
    options: ['--json', '{}', '-H', digest, ...covering('method authority path content-digest:')],
    target: '/bound',
    status: 401,
  },
  {
    title: 'a query that is not covered',
    options: covering('method authority path'),
    target: '/a?b',
    status: 401,
  },
  { title: 'HTTP/1.0', options: ['--http1.0'], target: '/old', status: 200 },
];

/** Lets curl call a service that accepts its profile. Returns the number of tries that went wrong. */
export async function tryCurl(curl: string): Promise<number> {
  const closing: (() => unknown)[] = [];
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const api = await openProtectedApi(
    { after: (close) => void closing.push(close as () => unknown) },
    {
      environment: {
        COUNTERSIGN_PROFILES: messageProfiles.curl822.id,
        COUNTERSIGN_API_BASE_URLS: url,
        COUNTERSIGN_API_PORT: String(port),
      },
    },
  );
  try {
    const asPem = { publicKeyEncoding: { type: 'spki', format: 'pem' } } as const;
    const keys = generateKeyPairSync('ed25519', {
      ...asPem,
      privateKeyEncoding: { type: 'pkcs8', format: 'der' },
    });
    const { clientId } = await api.running.addClient({
      profile: messageProfiles.curl822.id,
      roles: ['api-user'],
      keyPair: { publicKey: keys.publicKey, privateKey: makeKeyPair().privateKey },
    });
    const seed = keys.privateKey.subarray(-32).toString('hex');
    let wrong = 0;
    for (const { title, options, target, status } of tries) {
      const given = ['--httpsig-key', seed, '--httpsig-keyid', clientId, ...options, url + target];
      const got = await statusOf(curl, given);
      if (got !== status) wrong += 1;
      console.log(`  ${title}: ${got}${got === status ? '' : ` WRONG, not ${status}`}`);
    }
    return wrong;
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

async function statusOf(curl: string, options: readonly string[]): Promise<number> {
  const { stdout } = await run(curl, ['-sS', '-o', '/dev/null', '-w', '%{http_code}', ...options]);
  return Number(stdout);
}

const run = promisify(execFile);
