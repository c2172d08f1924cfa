import type { ClientLookup, Registry } from '@countersign/gate';

/** The registered clients, as a verifier looks them up. */
export type ClientSource = ClientLookup & Pick<Registry, 'keyUsed'>;

/** A copy of a service's registry. Close it when done. */
export type RegistryCopy = ClientSource & Pick<Registry, 'close'>;
