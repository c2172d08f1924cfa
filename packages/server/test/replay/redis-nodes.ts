import { randomBytes } from 'node:crypto';
import type { Refusal, UsedSignature } from '@countersign/signature/node';
import type { RedisServerProcess } from '@countersign/testing/redis';
import { TcpSwitch } from '@countersign/testing/tcp-switch';
import { patienceMs } from '@countersign/testing/wait-until';
import { RedisConnection, type RedisConnectionOptions } from '../../src/storage/redis/redis-connection.ts';
import { RedisReplayGuard, type RedisReplayGuardOptions } from '../../src/replay/redis-guard.ts';

/** The guard of one node, which reaches its server over a path of its own. */
export class GuardNode {
  readonly guard: RedisReplayGuard;
  readonly connection: RedisConnection;
  readonly path: TcpSwitch;
  /** What its log was told, undefined for "works again". */
  readonly changes: (string | undefined)[];

  private constructor(parts: Pick<GuardNode, 'guard' | 'connection' | 'path' | 'changes'>) {
    this.guard = parts.guard;
    this.connection = parts.connection;
    this.path = parts.path;
    this.changes = parts.changes;
  }

  static async start(
    server: RedisServerProcess,
    options: RedisReplayGuardOptions & Partial<RedisConnectionOptions>,
  ): Promise<GuardNode> {
    const path = await TcpSwitch.open(server.port);
    const changes: (string | undefined)[] = [];
    // The usual 0.3 s are too short on a machine that runs all tests at once.
    const { allowWithoutAppendOnlyFile = false, commandTimeoutMs = patienceMs } = options;
    const connection = new RedisConnection({
      url: `redis://127.0.0.1:${path.port}`,
      allowWithoutAppendOnlyFile,
      commandTimeoutMs,
      onChange: (problem) => changes.push(problem),
    });
    const guard = new RedisReplayGuard(connection, options);
    const node = new GuardNode({ guard, connection, path, changes });
    try {
      await connection.open();
    } catch (error) {
      await node.stop();
      throw error;
    }
    return node;
  }

  async use(signature: UsedSignature): Promise<Refusal | undefined> {
    return this.guard.use(signature, nowSeconds());
  }

  /** The code of the rejection, or `fresh`. */
  async codeOf(signature: UsedSignature): Promise<string> {
    return (await this.use(signature))?.code ?? 'fresh';
  }

  async stop(): Promise<void> {
    this.guard.close();
    this.connection.close();
    await this.path.close();
  }
}

let skippedSeconds = 0;

/** The clock, as nodes and requests see it. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000) + skippedSeconds;
}

/** Sets that clock ahead, so that a test need not wait. */
export function skipSeconds(seconds: number): void {
  skippedSeconds += seconds;
}

/** A signature that nobody has used, of this moment unless said otherwise. */
export function newSignature(parts: Partial<UsedSignature> = {}): UsedSignature {
  return {
    id: randomBytes(16).toString('latin1'),
    keyid: 'client_1',
    created: nowSeconds(),
    isSafe: false,
    ...parts,
  };
}
