import { z } from 'zod';
import { permissions, type Permission } from './permissions.ts';

/** The answer of `GET /v1/whoami`: who the caller is, and how the service sees the request. */
export interface Whoami {
  readonly clientId: string;
  readonly accountId: string;
  readonly name: string;
  /** The fingerprint of the key that signed this request, `SHA256:...`. */
  readonly keyFingerprint: string;
  readonly roles: readonly string[];
  /** What the roles permit, sorted. */
  readonly permissions: readonly Permission[];
  /** The address that the whitelist was asked about. */
  readonly sourceAddress: string;
  /** `created` of the signature minus the clock of the service: negative when the caller's clock is behind. */
  readonly clockDifferenceSeconds: number;
  /** The clock of the service, RFC 3339 in UTC. */
  readonly serverTime: string;
}

/** Describes the answer of `GET /v1/whoami`. */
export const whoamiSchema: z.ZodType<Whoami> = z.strictObject({
  clientId: z.string(),
  accountId: z.string(),
  name: z.string(),
  keyFingerprint: z.string().regex(/^SHA256:[0-9A-Za-z+/]{43}$/),
  roles: z.array(z.string()),
  permissions: z.array(z.enum(Object.keys(permissions) as Permission[])),
  sourceAddress: z.string(),
  clockDifferenceSeconds: z.number(),
  serverTime: z.iso.datetime(),
});
