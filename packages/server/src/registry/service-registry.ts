import { performance } from 'node:perf_hooks';
import type { DeploymentPermissions } from '@countersign/contract';
import type { Registry } from '@countersign/gate';
import { openMemoryRegistry } from './memory-registry.ts';
import { openPlace, type RegistryPlace } from './registry-place.ts';

/** A service's registry, for another program on the same database that verifies requests. */
export type ServiceRegistryOptions = RegistryPlace & {
  /** The permissions that the deployment adds. Default none. */
  readonly permissions?: DeploymentPermissions;
  /** Called when the database can no longer be read, once for each outage. */
  readonly onError: (error: unknown) => void;
};

/**
 * Opens a service's registry in the same way as one of its nodes: follows every change within a second, and
 * reports the first use of each key. Close it when done. Rejects with `RegistryError` or `StorageError`.
 */
export async function openServiceRegistry({
  permissions = {},
  onError,
  ...place
}: ServiceRegistryOptions): Promise<Registry> {
  const database = await openPlace(place);
  try {
    const registry = await openMemoryRegistry({
      database,
      monotonicNowMs: () => performance.now(),
      wallNowMs: Date.now,
      addedPermissions: permissions,
      onError,
    });
    return {
      clientById: (clientId) => registry.clientById(clientId),
      clientByKeyName: (keyName, directoryUrl) => registry.clientByKeyName?.(keyName, directoryUrl),
      standIn: (clientId) => registry.standIn?.(clientId),
      isReading: (clientId) => registry.isReading(clientId),
      isUnread: (clientId) => registry.isUnread(clientId),
      read: (clientId) => registry.read(clientId),
      isFresh: () => registry.isFresh(),
      refresh: () => registry.refresh(),
      followChange: () => registry.followChange(),
      rereadPermissions: () => registry.rereadPermissions(),
      keyUsed: (client, key, use) => registry.keyUsed(client, key, use),
      figures: () => registry.figures(),
      async close() {
        await registry.close();
        await database.destroy();
      },
    };
  } catch (error) {
    await database.destroy();
    throw error;
  }
}
