import { randomInt } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRequestSigner, signingFetch } from '@countersign/client/node';
import { freePort } from '@countersign/testing/free-port';
import { keyPair, type RunningService, runService } from '@countersign/testing/running-service';
import { type LosingHop, openLosingHop } from '../../packages/client/test/losing-hop.ts';
import type { ServiceOverrides } from '../../packages/server/src/assembly/service.ts';
import { type Api, openApi } from './api.ts';

/** Services in front of one API, which all know the same client, and everything that the table calls. */
export interface Scene {
  readonly clientId: string;
  readonly privateKeyFile: string;
  readonly api: Api;
  /** A server that is not behind a service. */
  readonly stranger: Api;
  /** The port of the service under all its names; every response passes through the hop. */
  readonly port: number;
  /** `http://127.0.0.1:PORT`. */
  readonly baseUrl: string;
  readonly hop: LosingHop;
  /** An address on which the service has the default port; undefined where this user may not listen on it. */
  readonly baseUrlWithoutPort: string | undefined;
  readonly hasIpv6: boolean;
  /** Base URLs of services whose clocks are ahead of this machine's, and behind it. */
  readonly ahead: string;
  readonly behind: string;
  /** Base URLs of services that reject everything, with 429 and 503. */
  readonly limited: Unwilling;
  readonly full: Unwilling;
  close(): Promise<void>;
}

/** A service that rejects requests once it has had enough. */
export interface Unwilling {
  readonly baseUrl: string;
  /** Sends until it has had enough. */
  readonly exhaust: () => Promise<void>;
}

const clientId = 'client_of_the_table';
const clockOffMs = 600_000;

/** No limit on a client's requests: the table is not about that. */
const unlimited = {
  COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '10000000',
  COUNTERSIGN_CLIENT_REQUESTS_BURST_MAX: '1000000',
};

export async function openScene(): Promise<Scene> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const one of closers.toReversed()) await one();
  };
  try {
    return { ...(await open((closer) => void closers.push(closer))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

type OnClose = (closer: () => Promise<unknown>) => void;

async function open(onClose: OnClose): Promise<Omit<Scene, 'close'>> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-table-'));
  onClose(() => rm(folder, { recursive: true, force: true }));
  const privateKeyFile = join(folder, 'private.pem');
  await writeFile(privateKeyFile, keyPair.privateKey, { mode: 0o600 });
  const [api, stranger] = [await openApi(), await openApi()];
  onClose(() => api.close());
  onClose(() => stranger.close());
  const start = starterOf(api, onClose);
  const main = await openMain(start, onClose);
  const [limited, full] = [
    await start({
      COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '1',
      COUNTERSIGN_CLIENT_REQUESTS_BURST_MAX: '1',
    }),
    await start({ ...unlimited, COUNTERSIGN_GUARD_ENTRIES_MAX: '4' }),
  ];
  return {
    clientId,
    privateKeyFile,
    api,
    stranger,
    ...main,
    ahead: await start(unlimited, { nowMs: () => Date.now() + clockOffMs }),
    behind: await start(unlimited, { nowMs: () => Date.now() - clockOffMs }),
    limited: { baseUrl: limited, exhaust: () => exhaust(limited, 429) },
    full: { baseUrl: full, exhaust: () => exhaust(full, 503) },
  };
}

type Environment = Readonly<Record<string, string>>;
type Start = (environment: Environment, overrides?: ServiceOverrides) => Promise<string>;

/** Returns a function that starts a service in front of the API, with the client, and resolves with its base URL. */
function starterOf(api: Api, onClose: OnClose): Start {
  return async (environment, overrides) => {
    const port = environment['COUNTERSIGN_API_PORT'] ?? String(await freePort());
    const baseUrl = `http://127.0.0.1:${port}`;
    const running: RunningService = await runService(
      {
        COUNTERSIGN_API_PORT: port,
        COUNTERSIGN_API_BASE_URLS: baseUrl,
        COUNTERSIGN_UPSTREAM: api.address,
        ...environment,
      },
      overrides,
    );
    onClose(() => running.close());
    await running.addClient({ clientId, roles: ['api-user'] });
    return baseUrl;
  };
}

type Main = Pick<Scene, 'port' | 'baseUrl' | 'hop' | 'baseUrlWithoutPort' | 'hasIpv6'>;

/** Starts the service that most cases call. */
async function openMain(start: Start, onClose: OnClose): Promise<Main> {
  const [servicePort, port] = [await freePort(), await freePort()];
  const tryHop = async (at: { host: string; port: number }): Promise<LosingHop | undefined> => {
    try {
      const hop = await openLosingHop(servicePort, at);
      onClose(() => hop.close());
      return hop;
    } catch {
      return undefined;
    }
  };
  const hop = await tryHop({ host: '127.0.0.1', port });
  if (hop === undefined) throw new Error(`The port ${port} was taken meanwhile.`);
  const hasIpv6 = (await tryHop({ host: '::1', port })) !== undefined;
  // A local address on which nothing else listens.
  const host = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  const hasDefaultPort = (await tryHop({ host, port: 80 })) !== undefined;
  const baseUrl = `http://127.0.0.1:${port}`;
  const names = [baseUrl, `http://localhost:${port}`, `http://[::1]:${port}`, `http://${host}`];
  await start({
    ...unlimited,
    COUNTERSIGN_API_PORT: String(servicePort),
    COUNTERSIGN_API_BASE_URLS: names.join(','),
  });
  return { port, baseUrl, hop, hasIpv6, baseUrlWithoutPort: hasDefaultPort ? `http://${host}` : undefined };
}

async function exhaust(baseUrl: string, status: number): Promise<void> {
  const fetch = signingFetch(createRequestSigner({ clientId, privateKey: keyPair.privateKey }));
  for (let count = 0; count < 20; count++) {
    const response = await fetch(`${baseUrl}/filler`, { method: 'POST', body: crypto.randomUUID() });
    if (response.status === status) return;
  }
  throw new Error(`The service at ${baseUrl} does not answer with ${status}.`);
}
