import { RedisServerProcess } from '../../packages/server/test/replay/redis.ts';
import { type GuardNode, pause, until } from '../../packages/server/test/replay/redis-nodes.ts';

/** What an outage happens to. */
export interface Scene {
  /** The server that the nodes use; an outage may leave another one here. */
  server: RedisServerProcess;
  readonly nodes: readonly GuardNode[];
}

/** One kind of outage. */
export interface OutageKind {
  readonly name: string;
  /** Whether the store forgets something, so that signatures are refused for some seconds. */
  readonly forgets: boolean;
  /** What is needed before, while the nodes are in use. */
  readonly prepare?: (scene: Scene) => Promise<void>;
  /** From the outage to the moment from which the nodes could work again. */
  readonly cause: (scene: Scene) => Promise<void>;
}

function between(leastMs: number, mostMs: number): number {
  return leastMs + Math.random() * (mostMs - leastMs);
}

/** Leads every node to another server, each at a moment of its own. */
async function leadAll({ nodes }: Scene, port: number): Promise<void> {
  await Promise.all(
    nodes.map(async ({ path }) => {
      await pause(between(0, 400));
      path.leadTo(port);
    }),
  );
}

/** A replica whose primary goes on without it. */
async function laggingReplica(scene: Scene): Promise<RedisServerProcess> {
  const replica = await RedisServerProcess.start({ replicaOf: scene.server });
  await replica.synchronised();
  await until(() => scene.nodes.every(({ guard }) => guard.isReady));
  return replica;
}

const replicas = new WeakMap<Scene, RedisServerProcess>();

export const outageKinds: readonly OutageKind[] = [
  {
    name: 'store emptied',
    forgets: true,
    cause: async ({ server }) => void (await server.ask('FLUSHALL')),
  },
  {
    name: 'killed, file kept',
    forgets: true,
    cause: async ({ server }) => {
      await server.kill();
      await pause(between(0, 800));
      await server.restart();
    },
  },
  {
    name: 'killed, file lost',
    forgets: true,
    cause: async ({ server }) => {
      await server.kill();
      server.loseDisk();
      await pause(between(0, 800));
      await server.restart();
    },
  },
  {
    name: 'lagging replica promoted',
    forgets: true,
    prepare: async (scene) => void replicas.set(scene, await laggingReplica(scene)),
    cause: async (scene) => {
      const replica = replicas.get(scene)!;
      // What the primary is told from now on, the replica never hears.
      await replica.ask('REPLICAOF', '127.0.0.1', '1');
      await pause(between(200, 800));
      await scene.server.kill();
      await replica.ask('REPLICAOF', 'NO', 'ONE');
      await leadAll(scene, replica.port);
      await scene.server.stop();
      scene.server = replica;
    },
  },
  {
    name: 'promoted, primary goes on',
    forgets: true,
    prepare: async (scene) => void replicas.set(scene, await laggingReplica(scene)),
    cause: async (scene) => {
      const replica = replicas.get(scene)!;
      await replica.ask('REPLICAOF', 'NO', 'ONE');
      // For a while the nodes use two primaries.
      await leadAll(scene, replica.port);
      await scene.server.stop();
      scene.server = replica;
    },
  },
  {
    name: 'network cut',
    forgets: false,
    cause: async ({ nodes }) => {
      for (const { path } of nodes) path.cut();
      await pause(between(100, 1500));
      for (const { path } of nodes) path.mend();
    },
  },
];
