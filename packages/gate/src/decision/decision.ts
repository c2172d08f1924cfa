import type { Requirement } from '@countersign/contract/permissions';
import type { ProblemCode } from '@countersign/contract/problems';
import type { PresentedSignature, SignatureHeaders } from '@countersign/signature/steps';
import type { RegisteredClient, UsableKey } from '../registry.ts';

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
  /** What the operation asks of its caller; undefined when there is no such operation. */
  readonly requirement: Requirement | undefined;
  /** The values of the path's parameters. */
  readonly parameters: Readonly<Record<string, string>>;
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
