import { isPermitted, type Requirement } from '@countersign/contract/permissions';
import {
  type AsyncReplayGuard,
  contentDigest,
  findVerifyingKey,
  usedSignature,
} from '@countersign/signature/node';
import {
  type Awaitable,
  checksOf,
  Examination,
  type ExaminedRequest,
  type Means,
  type Refusal,
  refuse,
  type SignatureRules,
  walk,
} from '@countersign/signature/profile';
import type { RegisteredClient, Registry } from '../registry.ts';

/** A request as the checks see it: framed (check 1), its body not yet read. */
export interface Attempt extends ExaminedRequest {
  /** The canonical text of the source address, for messages; empty when it is unknown. */
  readonly sourceAddress: string;
  /** Whether the client's whitelist allows the source address. False when the address is unknown. */
  readonly isSourceAllowed: (client: RegisteredClient) => boolean;
  /** What the operation asks of its caller; undefined when there is no such operation. */
  readonly requirement: Requirement | undefined;
  /** The values of the path's parameters. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** What the decision asks besides the request. */
export interface DecisionMeans {
  readonly registry: Pick<Registry, 'clientById'>;
  readonly guard: AsyncReplayGuard;
  readonly rules: SignatureRules;
}

/** The decision about one request, in the three places where something can be decided. Call them in this order. */
export interface Decision {
  /** What was read of the request. `keyid` is who it claims to be from, `client` who has proved to have sent it. */
  readonly examination: Examination<RegisteredClient>;
  /** Checks 2 to 11: what the headers alone decide. Never throws for bad input, remembers nothing. */
  head(): Refusal | undefined;
  /** Check 12: the body is the signed one. Its size is limited where it is read. */
  body(bytes: Uint8Array): Refusal | undefined;
  /** Check 13: this signature is used for the first time. A guard that cannot tell refuses. */
  replay(): Awaitable<Refusal | undefined>;
}

/**
 * Begins the decision whether a client's request is let in: the checks of docs/profile.md section 2.1. Their list and its
 * order are packages/signature/src/profile/checks.ts; this file answers what the list asks of a registry. Check 1 is
 * http/framing.ts.
 */
export function decide(attempt: Attempt, { registry, guard, rules }: DecisionMeans): Decision {
  const examination = new Examination<RegisteredClient>(attempt, rules);
  const means: Means<RegisteredClient> = {
    findClient: (keyid) => registry.clientById(keyid),
    findVerifyingKey: (client, base, signature) => findVerifyingKey(client?.keys ?? [], base, signature),
    acceptsWithoutDate: (client) => client.acceptWithoutDate,
    standing: {
      checkActive,
      checkNetwork: (client) => checkNetwork(client, attempt),
      checkPermission: (client) => checkPermission(client, attempt),
    },
    contentDigest,
    useSignature: () => guard.use(usedSignature(examination), examination.nowSeconds),
  };
  return {
    examination,
    // The registry answers from memory, and node:crypto works at once: neither half is waited for.
    head: () => walk(headChecks, examination, means) as Refusal | undefined,
    body: (bytes) => {
      examination.body = bytes;
      return walk(bodyChecks, examination, means) as Refusal | undefined;
    },
    replay: () => walk(replayChecks, examination, means),
  };
}

const headChecks = checksOf('head');
const bodyChecks = checksOf('body');
const replayChecks = checksOf('replay');

/** Check 9. */
function checkActive({ status }: RegisteredClient): Refusal | undefined {
  return status === 'active' ? undefined : refuse('client_disabled', `the client is ${status}`);
}

/** Check 10. */
function checkNetwork(client: RegisteredClient, attempt: Attempt): Refusal | undefined {
  if (attempt.isSourceAllowed(client)) return undefined;
  const seen = attempt.sourceAddress === '' ? 'cannot be determined' : `is ${attempt.sourceAddress}`;
  return refuse('network_not_allowed', `the source address ${seen}, which is not in the network whitelist`);
}

/** Check 11. */
function checkPermission(
  { clientId, permissions }: RegisteredClient,
  { requirement, parameters }: Attempt,
): Refusal | undefined {
  if (
    requirement === undefined ||
    isPermitted(requirement, parameters, { kind: 'client', clientId }, permissions)
  )
    return undefined;
  return refuse(
    'permission_denied',
    requirement.callers === 'people'
      ? 'only people who are signed in to the portal can do it'
      : `the operation needs the permission ${requirement.permission}, which no role of the client has`,
  );
}
