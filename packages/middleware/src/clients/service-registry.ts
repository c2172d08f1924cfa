import type { RegistryCopy } from './client-source.ts';

/** A service's database on this machine or network, and the matching settings. */
export type ServiceRegistryOptions = ({ readonly dataFolder: string } | { readonly databaseUrl: string }) & {
  /** The service's COUNTERSIGN_PERMISSIONS: names such as `invoices:read`, each with a summary. Default none. */
  readonly permissions?: Readonly<Record<`${string}:${string}`, { readonly summary: string }>>;
  /** Called when the database can no longer be read, once for each outage. Writes to standard error by default. */
  readonly onError?: (error: unknown) => void;
};

/**
 * Opens a service's registry from its database, as one of its nodes does: follows every change within a
 * second, and reports the first use of each key, so that a rollover continues.
 *
 * Needs the package `countersign-server` in addition to this one, and Node 24. Access to the database is full
 * control of the service.
 */
export async function openServiceRegistry(options: ServiceRegistryOptions): Promise<RegistryCopy> {
  const { openServiceRegistry: open } = await import('@countersign/server/service-registry');
  return open({ onError: console.error, ...options });
}
