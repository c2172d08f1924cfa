import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createSigner, type Signer } from '@countersign/signature/node';
import { openLocalRegistry } from '@countersign/server/local-registry';
import { patientStatementTimeoutMs } from '@countersign/testing/backend';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { PostgresServer } from '@countersign/testing/postgres-server';
import { baseUrl } from '@countersign/testing/running-service';
import { ServiceProcess } from '@countersign/testing/service-process';
import { openDatabase } from '../../packages/server/src/storage/database.ts';
import type { Database } from '../../packages/server/src/storage/transaction.ts';
import { addWebhook } from '../../packages/server/src/registry/store/webhooks.ts';
import { openWebhookSecrets } from '../../packages/server/src/webhooks/webhook-secrets.ts';
import { Caller } from '../crash/caller.ts';
import { changingHost, type NodeSettings, nodeVariable, trustedInternalOrigin } from './node-settings.ts';
import { type Kind, kindNames, Receivers } from './receivers.ts';

const program = fileURLToPath(new URL('node-program.ts', import.meta.url));
const databaseName = 'webhooks';
/** Nothing listens there. */
const deadOrigin = 'http://127.0.0.1:1';

/** The database answers late on a busy machine. */
const patience = { statementTimeoutMs: patientStatementTimeoutMs, connectTimeoutMs: 20_000 };

/** Times of a run, in milliseconds. */
export interface StageTimes {
  readonly attemptMsMax: number;
  readonly leaseMs: number;
  readonly slowMs: number;
  readonly retryScale: number;
}

/** A webhook of one kind, in an account of its own. */
export interface StagedWebhook {
  readonly accountId: string;
  readonly webhookId: string;
}

/** An answer that says that the node cannot do it now. */
export class NodeBusyError extends Error {}

/** A running node. */
export interface StagedNode {
  readonly process: ServiceProcess;
  readonly caller: Caller;
}

/** A database, receivers, and a webhook of each kind; nodes are started on it. */
export class Stage {
  readonly receivers: Receivers;
  readonly webhooks = new Map<Kind, StagedWebhook>();
  readonly #times: StageTimes;
  readonly #folders: string[] = [];
  readonly #processes = new Set<ServiceProcess>();
  #server: PostgresServer | undefined;
  #database: Database | undefined;
  #signer: Signer | undefined;

  constructor(times: StageTimes) {
    this.#times = times;
    this.receivers = new Receivers(times.slowMs);
  }

  get database(): Database {
    return this.#database!;
  }

  /** Signs as the administrator of the account whose events go to `/api`. */
  get signer(): Signer {
    return this.#signer!;
  }

  async open(): Promise<void> {
    await this.receivers.open();
    const server = (this.#server = await PostgresServer.start());
    await server.query(`create database ${databaseName}`);
    const databaseUrl = server.url(databaseName);
    const registry = await openLocalRegistry({ databaseUrl });
    this.#database = await openDatabase({ url: databaseUrl, ...patience });
    try {
      for (const kind of kindNames) {
        const { accountId } = await tried(() => registry.addAccount(`Account ${kind}`));
        this.webhooks.set(kind, { accountId, webhookId: await this.#addWebhook(kind, accountId) });
      }
      const { publicKey, privateKey } = makeKeyPair();
      const administrator = {
        name: 'Administrator',
        accountId: this.webhooks.get('api')!.accountId,
        publicKey,
        network: [{ entry: '127.0.0.1' }],
        roles: ['administrator'],
      };
      const { clientId } = await tried(() => registry.addClient(administrator));
      this.#signer = createSigner({ keyid: clientId, privateKey });
    } finally {
      await registry.close();
    }
  }

  async startNode(killAt?: NodeSettings['killAt']): Promise<StagedNode> {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-node-'));
    this.#folders.push(folder);
    const { slowMs: _slowMs, ...times } = this.#times;
    const settings: NodeSettings = {
      ...times,
      internalPort: this.receivers.internalPort,
      ...(killAt && { killAt }),
    };
    const origins = [this.receivers.origin, deadOrigin, trustedInternalOrigin];
    const process = new ServiceProcess(
      folder,
      {
        [nodeVariable]: JSON.stringify(settings),
        COUNTERSIGN_DATABASE_STATEMENT_TIMEOUT_MS: String(patience.statementTimeoutMs),
        COUNTERSIGN_DATABASE_URL: this.#server!.url(databaseName),
        COUNTERSIGN_NODES: '2',
        COUNTERSIGN_WEBHOOK_ORIGINS: origins.join(','),
        COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '0',
        COUNTERSIGN_ADDRESS_FAILURES_PER_MINUTE_MAX: '0',
      },
      undefined,
      program,
    );
    this.#processes.add(process);
    void process.ended.then(() => this.#processes.delete(process));
    return { process, caller: new Caller(await process.listening()) };
  }

  /** Adds a client by the API of a node. Resolves with its ID when that is acknowledged; rejects if the node ends before. */
  async addClient({ caller }: StagedNode, name: string): Promise<string> {
    const body = Buffer.from(JSON.stringify({ name, networkWhitelist: [{ entry: '127.0.0.1' }] }));
    const signed = this.signer.sign({ method: 'POST', url: `${baseUrl}/v1/clients`, body });
    const answer = await caller.send({ signed });
    if (answer.status === 503) throw new NodeBusyError(`The API answers ${answer.code}.`);
    if (answer.status !== 201) throw new Error(`The API answers ${answer.status} ${answer.code}.`);
    return answer.body['clientId'] as string;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#processes].map((process) => process.end()));
    await this.#database?.destroy();
    await this.#server?.remove();
    await this.receivers.close();
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
  }

  async #addWebhook(kind: Kind, accountId: string): Promise<string> {
    const secrets = openWebhookSecrets(undefined);
    const origins: Partial<Record<Kind, string>> = {
      dead: deadOrigin,
      changing: `https://${changingHost}`,
      internal: trustedInternalOrigin,
    };
    const webhook = {
      url: `${origins[kind] ?? this.receivers.origin}/${kind}`,
      description: kind,
      eventTypes: ['client.added'],
      isOrdered: kind === 'ordered',
      isForAllAccounts: false,
      attemptsPerMinuteMax: null,
      isPaused: false,
      sealSecret: (webhookId: string) => secrets.seal(webhookId, secrets.create()),
    };
    const context = { nowMs: Date.now(), actor: { kind: 'system', id: 'test' } } as const;
    return (await addWebhook(this.database, accountId, webhook, context)).webhookId;
  }
}

/** Tries again what failed because the machine is busy. */
async function tried<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === triesMax) throw error;
    }
    await sleep(500);
  }
}

const triesMax = 5;
