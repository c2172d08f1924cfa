import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { Permission } from '@countersign/contract';
import { type ClientLookup, monotonicMsOfProcess, type RegisteredClient } from '@countersign/gate';
import { ClientMemory } from '../registry/client-memory.ts';
import { MemoryClient, type RoleSet } from '../registry/memory-client.ts';
import type { MainThread } from './main-thread.ts';
import { type RegistryChanges, type SentClient, type SharedState, stateWords } from './thread-messages.ts';

const freshForMs = 1000;

/** The registry as the main thread has sent it to this thread. */
export class ThreadRegistry implements ClientLookup {
  readonly #state: SharedState;
  readonly #port: MessagePort;
  readonly #main: MainThread;
  readonly #nowMs: () => number;
  #clients = new ClientMemory();
  readonly #roleSets = new Map<string, RoleSet>();
  #version = -1;

  constructor(state: SharedState, port: MessagePort, main: MainThread, nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#state = state;
    this.#port = port;
    this.#main = main;
    this.#follow();
  }

  clientById(clientId: string): RegisteredClient | undefined {
    return this.#clients.find(clientId);
  }

  /** A thread does not know of clients that are not loaded, any of which could have the same key. */
  clientByKeyName(keyName: string, directoryUrl?: string): RegisteredClient | undefined {
    return this.isReading() ? undefined : this.#clients.findByKeyName(keyName, directoryUrl);
  }

  standIn(clientId: string): Pick<RegisteredClient, 'keys'> | undefined {
    return this.#clients.standIn(clientId);
  }

  isReading(): boolean {
    return Atomics.load(this.#state.words, stateWords.isReading) === 1;
  }

  /**
   * Always false: a thread does not get the IDs of clients that are not loaded. The main thread reports them in
   * its response to `read`.
   */
  isUnread(): boolean {
    return false;
  }

  /**
   * Also rejects if the client exists but could not be read. An unknown client must not be distinguishable from
   * a known one.
   */
  async read(clientId: string): Promise<void> {
    await this.#main.read(clientId);
    this.#follow();
  }

  isFresh(): boolean {
    this.#follow();
    const freshSinceMs = Number(Atomics.load(this.#state.freshSince, 0)) / 1000;
    return (
      monotonicMsOfProcess() - freshSinceMs <= freshForMs &&
      this.#version === Atomics.load(this.#state.words, stateWords.registryVersion)
    );
  }

  refresh(): Promise<void> {
    return this.#main.refresh();
  }

  /** Applies everything that the main thread has sent so far. */
  #follow(): void {
    if (this.#version === Atomics.load(this.#state.words, stateWords.registryVersion)) return;
    for (;;) {
      const received = receiveMessageOnPort(this.#port);
      if (received === undefined) return;
      this.#apply(received.message as RegistryChanges);
    }
  }

  #apply({ version, isAll, clients, removed }: RegistryChanges): void {
    if (isAll) {
      this.#clients = new ClientMemory();
      this.#roleSets.clear();
    }
    for (const client of clients) this.#clients.put(this.#received(client));
    for (const clientId of removed) this.#clients.remove(clientId);
    this.#version = version;
  }

  #received({ parts, roleIds, roleNames, permissions, rules }: SentClient): MemoryClient {
    const name = JSON.stringify([roleIds, roleNames, permissions]);
    let roleSet = this.#roleSets.get(name);
    if (roleSet === undefined) {
      roleSet = { roleIds, names: roleNames, permissions: new Set(permissions as Permission[]) };
      this.#roleSets.set(name, roleSet);
    }
    return new MemoryClient(parts, roleSet, rules, this.#nowMs);
  }
}
