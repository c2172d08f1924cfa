import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Key } from '@countersign/contract';
import { freePort } from '@countersign/testing/free-port';
import { makeKeyPairFor } from '@countersign/testing/key-pair';
import type { AlgorithmName } from '@countersign/signature';
import { type RunningService, runService } from '@countersign/testing/running-service';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { type Ended, run, type RunOptions } from './run.ts';

/** A running service, and a client with a key file that may rotate its own key. */
export interface RotationScene {
  readonly running: RunningService;
  readonly baseUrl: string;
  readonly folder: string;
  readonly clientId: string;
  readonly keyFile: string;
  readonly rotate: (argv?: readonly string[], options?: Partial<RunOptions>) => Promise<Ended>;
  /** The keys of the client that can verify, oldest first, as the operator sees them. */
  readonly usableKeys: () => Promise<readonly Pick<Key, 'keyId' | 'fingerprint' | 'status'>[]>;
  /** Whether the service accepts the key file as it is now. */
  readonly isAccepted: (options?: Partial<RunOptions>) => Promise<boolean>;
  /** The names in the folder of the key file. */
  readonly files: () => readonly string[];
}

interface SceneOptions {
  readonly roles: readonly string[];
  /** Returns the content of the key file. */
  readonly keyText: (pem: string) => string;
  readonly algorithm: AlgorithmName;
}

/** Starts the service. It is stopped after the test. */
export async function openRotationScene(
  t: Pick<TestContext, 'after'>,
  {
    roles = ['key-rotator'],
    keyText = (pem) => pem,
    algorithm = 'rsa-v1_5-sha256',
  }: Partial<SceneOptions> = {},
): Promise<RotationScene> {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const running = await runService({
    COUNTERSIGN_PORT: String(port),
    COUNTERSIGN_PUBLIC_BASE_URLS: baseUrl,
    COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '1000000',
  });
  t.after(() => running.close());
  const keyPair = makeKeyPairFor(algorithm);
  const { clientId } = await running.addClient({ roles, keyPair });
  const folder = temporaryFolder(t);
  const keyFile = join(folder, 'private.pem');
  writeFileSync(keyFile, keyText(keyPair.privateKey), { mode: 0o600 });
  const credentials = { clientId, privateKeyFile: 'private.pem', baseUrl };
  writeFileSync(join(folder, 'credentials.json'), JSON.stringify(credentials));
  return {
    running,
    baseUrl,
    folder,
    clientId,
    keyFile,
    rotate: (argv = [], options = {}) =>
      run(['rotate', '--credentials', 'credentials.json', ...argv], { folder, ...options }),
    async usableKeys() {
      let keys: readonly Pick<Key, 'keyId' | 'fingerprint' | 'status'>[] = [];
      await running.change(async (registry) => {
        keys = (await registry.showClient(clientId)).keys;
      });
      return keys.filter(({ status }) => status !== 'revoked' && status !== 'expired');
    },
    async isAccepted(options = {}) {
      const argv = ['request', 'GET', '/v1/whoami', '--credentials', 'credentials.json'];
      return (await run(argv, { folder, ...options })).code === 0;
    },
    files: () => readdirSync(folder).filter((name) => name !== 'state'),
  };
}

/** A file's permissions. */
export function modeOf(file: string): number {
  return statSync(file).mode & 0o777;
}

export function textOf(file: string): string {
  return readFileSync(file, 'utf8');
}
