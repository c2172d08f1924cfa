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
  type HashedBody,
  type Means,
  type Refusal,
  refuse,
  type SignatureRules,
  walk,
} from '@countersign/signature/profile';
import type { RegisteredClient, Registry, UsableKey } from '../registry.ts';

/** A request as the checks see it: its framing is valid (check 1) and its body is not read yet. */
export interface Attempt extends ExaminedRequest {
  /** The canonical text of the source address, for messages; empty if unknown. */
  readonly sourceAddress: string;
  /** Returns true if the client's whitelist allows the source address. False if the address is unknown. */
  readonly isSourceAllowed: (client: RegisteredClient) => boolean;
  /** The operation's requirement; undefined if the operation does not exist. */
  readonly requirement: Requirement | undefined;
  /** Path parameters by name. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** The registry, the replay guard and the rules that the decision uses. */
export interface DecisionMeans {
  readonly registry: Pick<Registry, 'clientById' | 'standIn'>;
  readonly guard: AsyncReplayGuard;
  readonly rules: SignatureRules;
  /**
   * The length of the longest signature by a key that can be registered. A longer one is rejected without an operation
   * with any key. Defaults to the longest that any service allows.
   */
  readonly signatureBytesMax?: number;
}

/** The decision about one request, in the three stages at which it can be rejected. Call them in this order. */
export interface Decision {
  /** Everything read from the request so far. `keyid` names the claimed client; `client` is the proven one. */
  readonly examination: Examination<RegisteredClient>;
  /** Returns the key that verified the signature; undefined until one has. */
  key(): UsableKey | undefined;
  /** Runs checks 2 to 11, which need only the headers. Never throws for bad input and stores nothing. */
  head(): Refusal | undefined;
  /** Runs check 12: the body matches the signed digest. Reading the body enforces its size limit. */
  body(body: Uint8Array | HashedBody): Refusal | undefined;
  /** Runs check 13: the signature is used for the first time. Rejects if the guard cannot tell. */
  replay(): Awaitable<Refusal | undefined>;
}

/**
 * Starts deciding a client's request with the checks of docs/profile.md section 2.1. Their list and order are in
 * packages/signature/src/profile/checks.ts; this file supplies the registry lookups that the list needs. Check 1 is in
 * http/framing.ts.
 */
export function decide(
  attempt: Attempt,
  { registry, guard, rules, signatureBytesMax }: DecisionMeans,
): Decision {
  const examination = new Examination<RegisteredClient>(attempt, rules);
  // The time determines which keys are usable, so the position that verified is an index into this list only.
  let keys = none;
  let standIn: Pick<RegisteredClient, 'keys'> | undefined;
  const means: Means<RegisteredClient> = {
    findClient: (keyid) => {
      // Also needed for a client that exists; otherwise a missing client would take longer.
      standIn = registry.standIn?.(keyid);
      return registry.clientById(keyid);
    },
    findVerifyingKey: (client) => {
      const tried = (client ?? standIn)?.keys ?? none;
      keys = client === undefined ? none : tried;
      return findVerifyingKey(keys, examination, signatureBytesMax, tried);
    },
    profileOf: ({ profile }) => profile,
    standing: {
      checkActive,
      checkNetwork: (client) => checkNetwork(client, attempt),
      checkPermission: (client) => checkPermission(client, attempt),
    },
    contentDigest,
    useSignature: () =>
      guard.use(usedSignature(examination, examination.client?.accountId), examination.nowSeconds),
  };
  return {
    examination,
    key: () => keys[examination.keyIndex],
    // The registry reads from memory and node:crypto is synchronous here, so neither stage returns a promise.
    head: () => walk(headChecks, examination, means) as Refusal | undefined,
    body: (body) => {
      examination.body = body;
      return walk(bodyChecks, examination, means) as Refusal | undefined;
    },
    replay: () => walk(replayChecks, examination, means),
  };
}

const none: readonly UsableKey[] = [];
const headChecks = checksOf('head');
const bodyChecks = checksOf('body');
const replayChecks = checksOf('replay');

/** Check 9: the client is active, and its account is not suspended. */
export function checkActive({ status, isAccountSuspended }: RegisteredClient): Refusal | undefined {
  if (status !== 'active') return refuse('client_disabled', `the client is ${status}`);
  return isAccountSuspended === true
    ? refuse('account_suspended', "the client's account is suspended")
    : undefined;
}

/** Check 10: the request comes from an address on the client's network whitelist. */
export function checkNetwork(
  client: RegisteredClient,
  attempt: Pick<Attempt, 'sourceAddress' | 'isSourceAllowed'>,
): Refusal | undefined {
  if (attempt.isSourceAllowed(client)) return undefined;
  const seen = attempt.sourceAddress === '' ? 'cannot be determined' : `is ${attempt.sourceAddress}`;
  return refuse('network_not_allowed', `the source address ${seen}; it is not on the network whitelist`);
}

/** Check 11: one of the client's roles grants the permission that the operation requires. */
export function checkPermission(
  { clientId, permissions }: RegisteredClient,
  { requirement, parameters }: Pick<Attempt, 'requirement' | 'parameters'>,
): Refusal | undefined {
  if (
    requirement === undefined ||
    isPermitted(requirement, parameters, { kind: 'client', clientId }, permissions)
  )
    return undefined;
  return refuse(
    'permission_denied',
    requirement.callers === 'people'
      ? 'only members who are signed in to the portal can do this'
      : `the operation needs the permission ${requirement.permission}, which none of the client's roles includes`,
  );
}
