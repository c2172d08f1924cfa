import { setTimeout as sleep } from 'node:timers/promises';
import { createSigner } from '@countersign/signature/node';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { PostgresServer } from '@countersign/testing/postgres-server';
import { baseUrl } from '@countersign/testing/running-service';
import { waitUntil } from '@countersign/testing/wait-until';
import { openLocalRegistry } from '../../packages/server/src/registry/local-registry.ts';
import { databaseName } from './cluster.ts';
import { NodeProcess } from './node-process.ts';
import { checkRegistry } from './registry-checks.ts';
import { type Administrator, Writer, type WriterFigures } from './writer.ts';

export interface KillsOptions {
  readonly rounds: number;
  /** Compares everything after this many rounds, and after the last. Default 10. */
  readonly compareEvery?: number;
  /** Called after every round. */
  readonly onRound?: (round: number, report: KillsReport) => void;
}

export interface KillsReport extends WriterFigures {
  readonly nodes: number;
  readonly databases: number;
  /** Audit events in the last comparison. */
  readonly events: number;
  readonly violations: readonly string[];
}

const nodeCount = 3;
const writerCount = 6;
const violationsMax = 20;
/** What each round adds before its kills. */
const changesMin = 7;
/** A node reports a failed start sooner, so a writer that takes longer is stuck. */
const settleMsMax = 30_000;

/** The targets of a round's kills: nodes, by index, and the database. */
const victims: readonly { readonly nodes: number; readonly database: boolean }[] = [
  { nodes: 1, database: false },
  { nodes: 0, database: true },
  { nodes: 1, database: true },
  { nodes: 2, database: false },
  { nodes: 1, database: false },
  { nodes: 0, database: true },
  { nodes: 3, database: false },
  { nodes: 3, database: true },
];

/**
 * Kills nodes and their database while all nodes write to the registry, restarts them, and compares the
 * responses with the data. Stops early after 20 violations.
 */
export async function runKills(options: KillsOptions): Promise<KillsReport> {
  const kills = new Kills(options);
  try {
    return await kills.run();
  } finally {
    await kills.close();
  }
}

class Kills {
  readonly #options: KillsOptions;
  readonly #nodes: NodeProcess[] = [];
  readonly #writers: Writer[] = [];
  readonly #violations: string[] = [];
  readonly #killed = { nodes: 0, databases: 0 };
  #server: PostgresServer | undefined;
  #events = 0;

  constructor(options: KillsOptions) {
    this.#options = options;
  }

  async run(): Promise<KillsReport> {
    const { rounds, compareEvery = 10, onRound } = this.#options;
    const server = (this.#server = await PostgresServer.start());
    await server.query(`create database ${databaseName}`);
    await this.#prepare(server.url(databaseName));
    for (const writer of this.#writers) writer.go();
    for (let round = 1; round <= rounds && this.#violations.length < violationsMax; round += 1) {
      // On a busy machine nothing may be written yet, and a kill would prove nothing.
      await waitUntil(
        () => this.#report().acknowledged >= round * changesMin,
        'changes that were acknowledged',
      );
      await this.#kill(server, victims[(round - 1) % victims.length]!);
      if (round % compareEvery === 0 || round === rounds) {
        await this.#compare(server);
        for (const writer of this.#writers) writer.go();
      }
      onRound?.(round, this.#report());
    }
    return this.#report();
  }

  async close(): Promise<void> {
    await Promise.all(this.#writers.map((writer) => writer.stop()));
    await Promise.all(this.#nodes.map((node) => node.remove()));
    await this.#server?.remove();
  }

  #report(): KillsReport {
    const sum = (figure: keyof WriterFigures): number =>
      this.#writers.reduce((total, { figures }) => total + figures[figure], 0);
    return {
      acknowledged: sum('acknowledged'),
      inDoubt: sum('inDoubt'),
      doneBefore: sum('doneBefore'),
      refused: sum('refused'),
      ...this.#killed,
      events: this.#events,
      violations: this.#violations,
    };
  }

  async #prepare(databaseUrl: string): Promise<void> {
    const registry = await openLocalRegistry({ databaseUrl });
    const administrators: Administrator[] = [];
    try {
      for (let number = 0; number < writerCount; number += 1) {
        const { accountId } = await registry.addAccount(`Account ${number}`);
        const add = async (role: string) => {
          const { publicKey, privateKey } = makeKeyPair();
          const network = [{ entry: '127.0.0.1' }];
          const client = await registry.addClient({
            name: role,
            accountId,
            publicKey,
            network,
            roles: [role],
          });
          return { client, signer: createSigner({ keyid: client.clientId, privateKey }) };
        };
        const { signer } = await add('administrator');
        const { client, signer: clientSigner } = await add('payments-reader');
        const subject = { type: 'client', id: client.clientId, etag: '', actions: [] } as const;
        const known = { name: client.name, isDisabled: false, roles: client.roles, entries: ['127.0.0.1'] };
        administrators.push({
          signer,
          clientSigner,
          client: { ...subject, ...known, actions: [], keys: [] },
        });
      }
    } finally {
      await registry.close();
    }
    for (let number = 0; number < nodeCount; number += 1) {
      this.#nodes.push(
        new NodeProcess({
          COUNTERSIGN_DATABASE_URL: databaseUrl,
          COUNTERSIGN_NODES: String(nodeCount),
          COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '0',
          COUNTERSIGN_ADDRESS_FAILURES_PER_MINUTE_MAX: '0',
        }),
      );
    }
    await Promise.all(this.#nodes.map((node) => node.start()));
    for (const administrator of administrators) {
      await this.#proveKeys(administrator);
      this.#writers.push(new Writer(this.#nodes, administrator, (text) => this.#note(text)));
    }
  }

  /** Sends a first request, which activates a key and so is a change itself. */
  async #proveKeys({ signer, client, clientSigner }: Administrator): Promise<void> {
    const [node] = this.#nodes;
    const get = (by: typeof signer, path: string) =>
      node!.send({ signed: by.sign({ method: 'GET', url: baseUrl + path }) });
    await get(clientSigner, '/v1/whoami');
    for (let wait = 0; wait < 40; wait += 1) {
      const shown = await get(signer, `/v1/clients/${client.id}`);
      const [key] = (shown.body['keys'] ?? []) as { status: string }[];
      client.etag = String(shown.headers['etag']);
      if (key?.status === 'active') return;
      await sleep(250);
    }
    throw new Error('A key that was used does not become active.');
  }

  async #kill(server: PostgresServer, { nodes, database }: (typeof victims)[number]): Promise<void> {
    await sleep(100 + Math.random() * 400);
    const chosen = this.#nodes
      .map((node) => ({ node, order: Math.random() }))
      .toSorted((one, other) => one.order - other.order)
      .slice(0, nodes)
      .map(({ node }) => node);
    await Promise.all([
      ...chosen.map((node) => soon(() => node.kill())),
      ...(database ? [soon(() => server.kill())] : []),
    ]);
    this.#killed.nodes += nodes;
    if (database) this.#killed.databases += 1;
    await Promise.all([
      ...chosen.map((node) => soon(() => node.start())),
      ...(database ? [soon(() => server.start())] : []),
    ]);
  }

  async #compare(server: PostgresServer): Promise<void> {
    await inTime(Promise.all(this.#writers.map((writer) => writer.pause())));
    await this.#untilReady();
    const { events } = await checkRegistry({
      server,
      database: databaseName,
      nodes: this.#nodes,
      writers: this.#writers,
      onViolation: (text) => this.#note(text),
    });
    this.#events = events;
  }

  /** Waits until every node responds and has had a second to catch up. */
  async #untilReady(): Promise<void> {
    const { signer } = this.#writers[0]!.administrator;
    const url = `${baseUrl}/v1/whoami`;
    for (const node of this.#nodes) {
      while ((await node.send({ signed: signer.sign({ method: 'GET', url }) })).status !== 200)
        await sleep(250);
    }
    await sleep(1000);
  }

  #note(violation: string): void {
    this.#violations.push(violation);
  }
}

/** At a random moment. */
async function soon(work: () => Promise<void>): Promise<void> {
  await sleep(Math.random() * 300);
  await work();
}

async function inTime(work: Promise<unknown>): Promise<void> {
  const late = new AbortController();
  const timeout = sleep(settleMsMax, undefined, { signal: late.signal }).then(() => {
    throw new Error(`A change was not answered for ${settleMsMax} ms.`);
  });
  timeout.catch(() => undefined);
  await Promise.race([work, timeout]).finally(() => late.abort());
}
