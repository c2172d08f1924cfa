import assert from 'node:assert/strict';
import { join } from 'node:path';
import {
  type Account,
  type Client,
  type Key,
  type OperationId,
  operations,
  operationSchemas,
  type ProblemCode,
  problems,
  type Role,
  schemas,
} from '@countersign/contract';
import { createSigner, type Signer } from '@countersign/signature/node';
import type { Backend } from '@countersign/testing/backend';
import {
  type Answer,
  type RunningService,
  runService,
  sendSigned,
} from '@countersign/testing/running-service';
import { testKey } from '@countersign/testing/test-keys';
import type { Logger } from 'pino';
import { databaseFileName, type LocalRegistry } from '../../src/registry/local-registry.ts';
import { changeRegistry } from '../../src/registry/store/changes.ts';
import type { ServiceOverrides } from '../../src/assembly/service.ts';
import { openDatabase } from '../../src/storage/database.ts';
import type { Database } from '../../src/storage/transaction.ts';
import { WatchedTransactions } from '../storage/watched-transactions.ts';
import { assertDocumented } from './documented.ts';
import { addPerson, addSession, headersOf, type Person, type PersonOptions } from './persons.ts';

/** One call of the management API, by its operation. */
export interface ManagementCall {
  /** The values of the path's parameters. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A caller that can sign. */
export interface Caller {
  readonly clientId: string;
  readonly signer: Signer;
}

/** A service with an account, its administrator, and a clock that can be put forward. */
export interface ManagementScene {
  readonly running: RunningService;
  readonly accountId: string;
  readonly administrator: Caller;
  /** Milliseconds that the clock of the service and of all signers is ahead of the real one. */
  readonly clock: { aheadMs: number };
  readonly nowMs: () => number;
  /** Calls an operation; its answer must be one that the OpenAPI document lists. Of a stream only the head is asked for. */
  call(caller: Caller | Person, operation: OperationId, options?: ManagementCall): Promise<Answer>;
  /** The same, and the answer must be a success. */
  succeed<Body = Record<string, unknown>>(
    caller: Caller | Person,
    operation: OperationId,
    options?: ManagementCall,
  ): Promise<Body>;
  /** Does the same for a request that must be rejected with a code; returns the rest of the problem document. */
  refused(
    caller: Caller | Person,
    operation: OperationId,
    options: ManagementCall,
    code: ProblemCode,
  ): Promise<Refusal>;
  /** Adds a client through the API, with a key of its own. */
  addCaller(roles: readonly string[], options?: { by?: Caller; body?: object }): Promise<Caller>;
  /** Adds an account with its administrator, as the operator would on the machine. */
  addAccount(options?: {
    isOperator?: boolean;
    roles?: readonly string[];
  }): Promise<Caller & { accountId: string }>;
  /** Adds a person who is signed in; in the account of the scene unless said otherwise. */
  addPerson(options?: Partial<PersonOptions>): Promise<Person>;
  /** Signs a person in once more. */
  signIn(person: Person, options?: Partial<PersonOptions>): Promise<Person>;
  /** Puts the clock forward, while these people do something in their sessions every ten minutes. */
  spend(milliseconds: number, ...people: Person[]): Promise<void>;
  /** The database of the service, as another process has it. */
  database(): Promise<Database>;
  /** A key pair that nothing else in this scene has. */
  freshKey(): { publicKey: string; privateKey: string };
  /** The ETag of a client now. */
  etagOf(caller: Caller, clientId: string): Promise<string>;
  change(work: (registry: LocalRegistry) => Promise<unknown>): Promise<void>;
  /**
   * Has the lock that every change needs while some work is done, so that changes that are asked for meanwhile wait. What
   * is written by the transaction is committed at the end of the work. `changeWaits` is given an answer of the
   * API, and waits until one of its changes has begun and cannot go on; it fails if the answer comes.
   */
  whileLocked(
    work: (transaction: Database, changeWaits: (answer: Promise<unknown>) => Promise<void>) => Promise<void>,
  ): Promise<void>;
  close(): Promise<void>;
}

/** A rejection, as the caller sees it. */
export interface Refusal {
  readonly answer: Answer;
  readonly reason: string;
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
}

/** Everyone. */
export const anywhere: readonly { readonly entry: string }[] = [{ entry: '0.0.0.0' }];

/** What a scene may have that others do not. */
export interface SceneOptions {
  readonly logger?: Logger;
  readonly settings?: Readonly<Record<string, string>>;
  readonly overrides?: ServiceOverrides;
}

/** Runs a service on a database. Close it when done. */
export async function managementScene(
  backend: Backend,
  { logger, settings: moreSettings, overrides }: SceneOptions = {},
): Promise<ManagementScene> {
  const closers: (() => unknown)[] = [];
  const settings = await backend.settings({ after: (close) => void closers.push(close as () => unknown) });
  const clock = { aheadMs: 0 };
  const nowMs = (): number => Date.now() + clock.aheadMs;
  const transactions = new WatchedTransactions();
  const wrapApiDatabase = (database: Database): Database =>
    transactions.of(overrides?.wrapApiDatabase?.(database) ?? database);
  const running = await runService(
    { ...settings, ...moreSettings },
    { nowMs, requestLogEveryMs: 20, ...overrides, wrapApiDatabase },
    logger,
  );
  let keysGiven = 0;
  const freshKey = (): { publicKey: string; privateKey: string } => testKey(keysGiven++);
  const signerOf = (clientId: string, privateKey: string): Signer =>
    createSigner({ keyid: clientId, privateKey, nowMs });

  let opened: Promise<Database> | undefined;
  const place = (): Parameters<typeof openDatabase>[0] => {
    const url = settings['COUNTERSIGN_DATABASE_URL'];
    return url === undefined ? { file: join(running.dataFolder, databaseFileName) } : { url };
  };
  const database = (): Promise<Database> => (opened ??= openDatabase(place()));

  const call: ManagementScene['call'] = async (caller, id, options = {}) => {
    const { method, path } = operations[id];
    const url = `${pathOf(path, options.path ?? {})}${options.query === undefined ? '' : `?${options.query}`}`;
    const body = options.body === undefined ? undefined : textOf(options.body);
    const sent = { method, url, ...(body !== undefined && { body }) };
    const { headers } = options;
    const answer =
      'signer' in caller
        ? await sendSigned(running, caller.signer, { ...sent, ...(headers && { headers: { ...headers } }) })
        : await running.send({
            ...sent,
            headers: {
              ...headersOf(caller, method),
              ...(body !== undefined && { 'Content-Type': 'application/json' }),
              ...headers,
            },
          });
    assertDocumented(id, answer);
    const type = String(answer.headers['content-type']);
    if (answer.status < 300 && type === 'application/json') {
      const isWaiting = answer.status === 202 && operations[id].mayWait === true;
      assert.equal(answer.status, isWaiting ? 202 : (operations[id].status ?? 200), id);
      const schema = isWaiting ? schemas.PendingChange : operationSchemas[id].answer;
      const parsed = schema.safeParse(answer.json());
      assert.ok(parsed.success, `${id}: ${parsed.error?.message} ${answer.text}`);
    }
    return answer;
  };
  const succeed = async <Body>(
    caller: Caller | Person,
    id: OperationId,
    options: ManagementCall = {},
  ): Promise<Body> => {
    const answer = await call(caller, id, options);
    assert.ok(answer.status < 300, `${id}: ${answer.status} ${answer.text}`);
    return answer.json() as Body;
  };
  const administered = async (
    account: { readonly name: string; readonly isOperator?: boolean },
    roles: readonly string[],
  ): Promise<Caller & { accountId: string }> => {
    const { publicKey, privateKey } = freshKey();
    let made = { clientId: '', accountId: '' };
    await running.change(async (registry) => {
      const { accountId } = await registry.addAccount(account);
      made = await registry.addClient({
        name: 'Administrator',
        accountId,
        publicKey,
        network: ['0.0.0.0'],
        roles,
      });
    });
    return { ...made, signer: signerOf(made.clientId, privateKey) };
  };
  const administrator = await administered({ name: 'Example account' }, ['administrator']);
  return {
    running,
    accountId: administrator.accountId,
    administrator,
    clock,
    nowMs,
    call,
    succeed,
    freshKey,
    async refused(caller, id, options, code) {
      const answer = await call(caller, id, options);
      const body = answer.json() as { code?: string; reason?: string; errors?: Refusal['errors'] };
      assert.equal(body.code, code, `${id}: ${answer.text}`);
      assert.equal(answer.status, problems[code].status);
      return { answer, reason: body.reason ?? '', errors: body.errors ?? [] };
    },
    async spend(milliseconds, ...people) {
      const untilMs = clock.aheadMs + milliseconds;
      while (clock.aheadMs < untilMs) {
        clock.aheadMs = Math.min(untilMs, clock.aheadMs + 600_000);
        for (const person of people) {
          const headers = { ...headersOf(person, 'POST'), 'Content-Type': 'application/json' };
          const { status } = await running.send({
            method: 'POST',
            url: '/portal/auth/activity',
            headers,
            body: '{}',
          });
          assert.equal(status, 204, 'the session has ended');
        }
      }
    },
    async addCaller(roles, { by = administrator, body = {} } = {}) {
      const { publicKey, privateKey } = freshKey();
      const { clientId } = await succeed<Client>(by, 'addClient', {
        body: { name: 'Made by the API', networkWhitelist: anywhere, publicKey, roles, ...body },
      });
      return { clientId, signer: signerOf(clientId, privateKey) };
    },
    addAccount: ({ isOperator = false, roles = ['administrator'] } = {}) =>
      administered({ name: 'Another account', isOperator }, roles),
    async etagOf(caller, clientId) {
      return String((await call(caller, 'getClient', { path: { clientId } })).headers['etag']);
    },
    change: (work) => running.change(work),
    addPerson: async (person = {}) =>
      addPerson(await database(), { accountId: administrator.accountId, nowMs: nowMs(), ...person }),
    signIn: async (person, more = {}) => addSession(await database(), person, { nowMs: nowMs(), ...more }),
    database,
    async whileLocked(work) {
      const own = await openDatabase(place());
      try {
        await changeRegistry(own, async (transaction) => {
          // On SQLite a transaction has the lock from its beginning; both have it now.
          await transaction
            .updateTable('registry_version')
            .set({ singleton: 1 } as never)
            .execute();
          const { begun } = transactions;
          await work(transaction, async (answer) => {
            const early = answer.then((given) => assert.fail(`it did not wait: ${JSON.stringify(given)}`));
            await Promise.race([transactions.oneWaits(transaction, begun), early]);
          });
        });
      } finally {
        await own.destroy();
      }
    },
    async close() {
      await (await opened)?.destroy();
      await running.close();
      for (const close of closers.toReversed()) await close();
    },
  };
}

/** The elements of a page. */
export interface Data<Element> {
  readonly data: readonly Element[];
  readonly nextCursor: string | null;
}

export type { Account, Client, Key, Person, Role };

/** The path of an operation with the values of its parameters. */
export function pathOf(path: string, parameters: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name];
    assert.ok(value !== undefined, `the path ${path} needs ${name}`);
    return encodeURIComponent(value);
  });
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}
