import type { Permission, ProblemCode } from '@countersign/contract';
import type { PresentedSignature, SignatureHeaders } from '@countersign/signature/steps';
import type { RegisteredClient, UsableKey } from '../registry/registry.ts';

/** A request as the checks see it: framed (check 1), its body not yet read. */
export interface Attempt {
  readonly method: string;
  /** The configured base URL and the raw request target, as text. */
  readonly targetUri: string;
  readonly headers: SignatureHeaders;
  /** Whether a body comes; undefined when only reading will tell. */
  readonly hasBody: boolean | undefined;
  /** The canonical text of the source address for messages; empty when it is unknown. */
  readonly sourceAddress: string;
  /** Whether a whitelist allows the source address. False when the address is unknown. */
  readonly isSourceAllowed: (client: RegisteredClient) => boolean;
  /** What the operation asks for; undefined when it asks for nothing, or when there is no such operation. */
  readonly permission: Permission | undefined;
  /** Whether only people can do it: then no signature and no role of a client is enough. */
  readonly isForPeople?: boolean;
  /** The permission that is enough for one client: the one that the request is about. */
  readonly permissionOnItself?: { readonly permission: Permission; readonly clientId: string } | undefined;
  /** Unix seconds, read once for the whole request. */
  readonly nowSeconds: number;
}

/** A caller that has proved who it is, and may do what it asks for: checks 1 to 11 are passed. */
export interface Admission {
  readonly ok: true;
  readonly client: RegisteredClient;
  readonly key: UsableKey;
  readonly presented: PresentedSignature;
  readonly attempt: Attempt;
}

/** A request that is not let in. */
export interface Denial {
  readonly ok: false;
  readonly code: ProblemCode;
  /** What is wrong with this request. For `signature_invalid` it is the owner's to know, never the caller's. */
  readonly reason: string;
  readonly expected?: string;
  readonly received?: string;
  readonly retryAfterSeconds?: number;
  /** The client that the request names, for the log. It is proved only where the code comes after check 8. */
  readonly clientId?: string;
}
