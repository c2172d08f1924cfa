import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresServer } from '@countersign/testing/postgres-server';
import { RedisServerProcess } from '@countersign/testing/redis';
import { type Cluster, databaseName, type GuardKind } from './cluster.ts';

export interface OutageKind {
  readonly name: string;
  /** True if the store may have forgotten used signatures, so that some are rejected for a while. */
  readonly forgets: boolean;
  /** True if the database still has all payments afterwards. */
  readonly keepsPayments: boolean;
  /** Prepares the outage while the nodes are in use. The returned function causes it, and resolves when the nodes could work again. */
  readonly prepare: (cluster: Cluster) => Promise<() => Promise<void>> | (() => Promise<void>);
}

/** Outages of a guard's store. */
export const outageKinds: Readonly<Record<GuardKind, readonly OutageKind[]>> = {
  redis: [
    {
      name: 'emptied',
      forgets: true,
      keepsPayments: true,
      prepare:
        ({ redis }) =>
        async () =>
          void (await redis!.ask('FLUSHALL')),
    },
    {
      name: 'killed, file kept',
      forgets: true,
      keepsPayments: true,
      prepare:
        ({ redis }) =>
        async () => {
          await redis!.kill();
          await shortWhile();
          await redis!.restart();
        },
    },
    {
      name: 'killed, file lost',
      forgets: true,
      keepsPayments: true,
      prepare:
        ({ redis }) =>
        async () => {
          await redis!.kill();
          redis!.loseDisk();
          await shortWhile();
          await redis!.restart();
        },
    },
    {
      name: 'frozen',
      forgets: false,
      keepsPayments: true,
      prepare:
        ({ redis }) =>
        async () => {
          redis!.signal('SIGSTOP');
          await outageTime();
          redis!.signal('SIGCONT');
        },
    },
    {
      name: 'cut off',
      forgets: false,
      keepsPayments: true,
      prepare: (cluster) => () => cutOff(cluster, 'redis'),
    },
    {
      name: 'lagging replica promoted',
      forgets: true,
      keepsPayments: true,
      async prepare(cluster) {
        const replica = await replicaOf(cluster.redis!);
        return async () => {
          // Changes on the primary from now on never reach the replica.
          await replica.ask('REPLICAOF', '127.0.0.1', '1');
          await shortWhile();
          await cluster.redis!.kill();
          await replica.ask('REPLICAOF', 'NO', 'ONE');
          await takeOverRedis(cluster, replica);
        };
      },
    },
    {
      name: 'promoted, primary goes on',
      forgets: true,
      keepsPayments: true,
      async prepare(cluster) {
        const replica = await replicaOf(cluster.redis!);
        return async () => {
          await replica.ask('REPLICAOF', 'NO', 'ONE');
          // For a while the nodes use two primaries.
          await takeOverRedis(cluster, replica);
        };
      },
    },
  ],
  postgres: [
    {
      name: 'table emptied',
      forgets: true,
      keepsPayments: true,
      prepare:
        ({ postgres }) =>
        async () =>
          void (await postgres.query('truncate used_signatures', databaseName)),
    },
    {
      name: 'killed',
      forgets: false,
      keepsPayments: true,
      prepare:
        ({ postgres }) =>
        async () => {
          await postgres.kill();
          await shortWhile();
          await postgres.start();
        },
    },
    {
      name: 'frozen',
      forgets: false,
      keepsPayments: true,
      prepare:
        ({ postgres }) =>
        async () => {
          postgres.pause();
          await outageTime();
          postgres.resume();
        },
    },
    {
      name: 'cut off',
      forgets: false,
      keepsPayments: true,
      prepare: (cluster) => () => cutOff(cluster, 'postgres'),
    },
    {
      name: 'lagging standby promoted',
      forgets: true,
      keepsPayments: false,
      async prepare(cluster) {
        const standby = await PostgresServer.startStandby(cluster.postgres);
        return async () => {
          await standby.stopFollowing();
          await shortWhile();
          await cluster.postgres.kill();
          await standby.promote();
          await takeOverPostgres(cluster, standby);
        };
      },
    },
    {
      name: 'promoted, primary goes on',
      forgets: true,
      keepsPayments: false,
      async prepare(cluster) {
        const standby = await PostgresServer.startStandby(cluster.postgres);
        return async () => {
          await standby.promote();
          // For a while the nodes use two primaries.
          await takeOverPostgres(cluster, standby);
        };
      },
    },
    {
      name: 'older copy started',
      forgets: true,
      keepsPayments: false,
      async prepare(cluster) {
        const copy = await PostgresServer.copyOf(cluster.postgres);
        return async () => {
          await shortWhile();
          await cluster.postgres.kill();
          await copy.start();
          await takeOverPostgres(cluster, copy);
        };
      },
    },
  ],
};

/** Long enough for something to happen in between. */
async function shortWhile(): Promise<void> {
  await sleep(100 + Math.random() * 700);
}

/** Long enough for the nodes to notice that nothing responds. */
async function outageTime(): Promise<void> {
  await sleep(1000 + Math.random() * 1000);
}

async function cutOff({ ways }: Cluster, store: GuardKind): Promise<void> {
  for (const way of ways[store]) way.cut();
  await outageTime();
  for (const way of ways[store]) way.mend();
}

/** Points every node to another server, each at a different moment. */
async function leadAll({ ways }: Cluster, store: GuardKind, port: number): Promise<void> {
  await Promise.all(
    ways[store].map(async (way) => {
      await sleep(Math.random() * 400);
      way.turn(port);
    }),
  );
}

async function replicaOf(primary: RedisServerProcess): Promise<RedisServerProcess> {
  const replica = await RedisServerProcess.start({ replicaOf: primary });
  await replica.synchronised();
  return replica;
}

async function takeOverRedis(cluster: Cluster, replica: RedisServerProcess): Promise<void> {
  await leadAll(cluster, 'redis', replica.port);
  await cluster.redis!.stop();
  cluster.redis = replica;
}

async function takeOverPostgres(cluster: Cluster, other: PostgresServer): Promise<void> {
  await leadAll(cluster, 'postgres', other.port);
  await cluster.postgres.remove();
  cluster.postgres = other;
}
