import type { MessagePort } from 'node:worker_threads';
import type { MemoryClient } from '../registry/memory-client.ts';
import type { RegistryFollower } from '../registry/memory-registry.ts';
import { type RegistryChanges, type SentClient, type SharedState, stateWords } from './thread-messages.ts';

/**
 * Sends the registry's changes to the threads. A change is in a thread's port before its version is in the
 * shared memory, and before each decision a thread reads its port up to that version. So a change takes effect
 * in all threads at once.
 */
export class RegistryFeed implements RegistryFollower {
  readonly #state: SharedState;
  readonly #ports = new Set<MessagePort>();
  #clients: (() => Iterable<MemoryClient>) | undefined;
  #version = 0;

  constructor(state: SharedState) {
    this.#state = state;
    this.looked(Number.NEGATIVE_INFINITY);
  }

  /** @param clients returns all clients that have been loaded */
  begin(clients: () => Iterable<MemoryClient>): void {
    this.#clients = clients;
  }

  /** Sends everything to a port, and all changes from now on. */
  subscribe(port: MessagePort): () => void {
    port.postMessage(this.#changes(this.#clients?.() ?? [], [], true));
    this.#ports.add(port);
    return () => this.#ports.delete(port);
  }

  changed({ clients, removed, isAll, isReading }: Parameters<RegistryFollower['changed']>[0]): void {
    this.#version += 1;
    const changes = this.#changes(clients, removed, isAll);
    for (const port of this.#ports) port.postMessage(changes);
    Atomics.store(this.#state.words, stateWords.isReading, isReading ? 1 : 0);
    Atomics.store(this.#state.words, stateWords.registryVersion, this.#version);
  }

  looked(freshSinceMs: number): void {
    const microseconds = Number.isFinite(freshSinceMs) ? BigInt(Math.floor(freshSinceMs * 1000)) : neverFresh;
    Atomics.store(this.#state.freshSince, 0, microseconds);
  }

  #changes(clients: Iterable<MemoryClient>, removed: readonly string[], isAll: boolean): RegistryChanges {
    return { version: this.#version, isAll, clients: Array.from(clients, sent), removed };
  }
}

/** Earlier than any machine's start. */
const neverFresh = -(2n ** 60n);

function sent(client: MemoryClient): SentClient {
  const { clientId, accountId, name, status, profile, directoryUrl, allowExplanations } = client;
  const { requestLimit, loadedKeys, networkTexts, roleSet, rules } = client;
  return {
    parts: {
      clientId,
      accountId,
      name,
      status,
      profile,
      directoryUrl,
      allowExplanations,
      requestLimit,
      loadedKeys,
      networkTexts,
    },
    roleIds: roleSet.roleIds,
    roleNames: roleSet.names,
    permissions: [...roleSet.permissions],
    rules,
  };
}
