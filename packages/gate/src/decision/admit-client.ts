import { setTimeout as sleep } from 'node:timers/promises';
import type { Requirement } from '@countersign/contract/permissions';
import {
  andThen,
  type Awaitable,
  isThumbprint,
  readSignatureHeaders,
  type Refusal,
} from '@countersign/signature/profile';
import type { Admission, Rejection, RequestHead, Sender, WaitingClient } from '../door.ts';
import type { Answer } from '../http/answer.ts';
import type { ReceivedBody } from '../http/spool.ts';
import type { LimitedCaller } from '../limits/client-limit.ts';
import type { ClientLookup, RegisteredClient, UsableKey } from '../registry.ts';
import type { ProfiledIdentity } from '../proxy/forwarded-headers.ts';
import { decide, type Decision, type DecisionMeans } from './decide.ts';

/** The registry, the guard and the rules that `admitClient` uses. */
export interface ClientMeans extends DecisionMeans {
  readonly registry: ClientLookup;
}

/** An operation that clients call with signed requests. */
export interface SignedOperation {
  /**
   * The operation's requirement; undefined if the operation does not exist, which only authenticated clients
   * may learn.
   */
  readonly requirement: Requirement | undefined;
  /** Path parameters by name. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Rejects signatures by other profiles that leave a part of the request open. */
  readonly mustBindAll?: true;
  /** The names of the profiles that a client can have here; undefined for all. */
  readonly profiles?: readonly string[] | undefined;
  /** The names of those that the base URL accepts, whatever the operation; undefined for all. */
  readonly offeredProfiles?: readonly string[] | undefined;
  readonly answer: (
    caller: ProvedClient,
    body: ReceivedBody,
    client: WaitingClient,
  ) => Promise<Answer> | Answer;
}

/** A client that proved it sent the request and is allowed to make it. */
export interface ProvedClient {
  readonly client: RegisteredClient;
  readonly key: UsableKey;
  readonly examination: Decision['examination'];
  /** Set if the request followed another profile than the closed one. */
  readonly profiled: ProfiledIdentity | undefined;
}

/**
 * Decides a client's request by its head: checks 2 to 11. The admission runs checks 12 and 13. Asynchronous
 * only when the registry must be read first. A request that no known key has verified waits for that only if
 * its client may not be loaded yet: otherwise strangers' requests would pile up while storage is stalled.
 */
export function admitClient(
  head: RequestHead,
  operation: SignedOperation,
  means: ClientMeans,
): Awaitable<Admission | Rejection> {
  const { registry } = means;
  // Ask this first: on a thread, asking also applies the updates that were sent to it.
  const isFresh = registry.isFresh();
  const decided = decideHead(head, operation, means);
  const { decision, refusal } = decided;
  const { keyid } = decision.examination;
  const isProved = decision.key() !== undefined;
  // Nothing before check 8 depends on the registry.
  if (refusal && !isProved && refusal.code !== 'signature_invalid')
    return admissionOf(decided, head, operation, means);
  // A registry that is still loading may know only a client's name, so none of its keys could be tried.
  const mayBeUnread = !isProved && registry.isReading(keyid);
  if (!isFresh) return isProved || mayBeUnread ? admitWhenFresh(head, operation, means) : staleRegistry;
  return mayBeUnread
    ? admitWhenRead(keyid, head, operation, means)
    : admissionOf(decided, head, operation, means);
}

async function admitWhenFresh(
  head: RequestHead,
  operation: SignedOperation,
  means: ClientMeans,
): Promise<Admission | Rejection> {
  return (await isFreshNow(means.registry)) ? admitClient(head, operation, means) : staleRegistry;
}

async function admitWhenRead(
  keyid: string,
  head: RequestHead,
  operation: SignedOperation,
  means: ClientMeans,
): Promise<Admission | Rejection> {
  if (!(await isRead(means.registry, keyid))) return staleRegistry;
  const decided = decideHead(head, operation, means);
  return isNobodyYet(keyid, decided, means) ? staleRegistry : admissionOf(decided, head, operation, means);
}

/**
 * Returns true for a `keyid` that may be a key's thumbprint, while clients are still being loaded: it names nobody until all are,
 * and nothing tells which of them to load first. Whoever it names, known or not, is asked to come again.
 */
function isNobodyYet(
  keyid: string,
  { refusal }: ReturnType<typeof decideHead>,
  { registry, otherProfiles }: ClientMeans,
): boolean {
  const mayBeThumbprint = otherProfiles !== undefined && isThumbprint(keyid);
  return mayBeThumbprint && refusal?.code === 'signature_invalid' && registry.isReading(keyid);
}

function admissionOf(
  { decision, refusal }: ReturnType<typeof decideHead>,
  head: RequestHead,
  operation: SignedOperation,
  means: ClientMeans,
): Admission | Rejection {
  if (refusal) return rejectionOf(refusal, decision, senderOf(decision));
  return new ClientAdmission(decision, head, operation, means);
}

function decideHead(
  head: RequestHead,
  { requirement, parameters, mustBindAll, profiles, offeredProfiles }: SignedOperation,
  means: ClientMeans,
): { readonly decision: Decision; readonly refusal: Refusal | undefined } {
  const { source } = head;
  const decision = decide(
    {
      method: head.method,
      targetUri: head.targetUri,
      headers: readSignatureHeaders(head.rawHeaders),
      rawHeaders: head.rawHeaders,
      hasBody: head.hasBody,
      nowSeconds: Math.floor(head.receivedAtMs / 1000),
      sourceAddress: source.text,
      isSourceAllowed: (client) => client.network.allows(source.address),
      requirement,
      parameters,
      mustBindAll,
      profiles,
      offeredProfiles,
    },
    means,
  );
  return { decision, refusal: decision.head() };
}

/**
 * A request that passed checks 2 to 11. This is a class because an object literal with a getter gets its own
 * hidden class, which retains everything about the request until the next full garbage collection.
 */
class ClientAdmission implements Admission {
  readonly ok = true;
  readonly limited: LimitedCaller;
  readonly headers?: Readonly<Record<string, string>>;
  readonly #client: RegisteredClient;
  readonly #head: RequestHead;
  readonly #operation: SignedOperation;
  readonly #means: ClientMeans;
  #accepted: Decision;

  constructor(decision: Decision, head: RequestHead, operation: SignedOperation, means: ClientMeans) {
    const { client, key } = provedClient(decision);
    this.limited = { countedAs: client.clientId, ownLimits: client.ownLimits };
    // Every response announces the key's end, so that client software can warn in time.
    if (key.endsAtMs !== undefined)
      this.headers = { 'Client-Key-Retire-At': new Date(key.endsAtMs).toUTCString() };
    this.#client = client;
    this.#head = head;
    this.#operation = operation;
    this.#means = means;
    this.#accepted = decision;
  }

  /** May be a newer state of the client after `accept`. */
  get sender(): Sender {
    return senderOf(this.#accepted, provedClient(this.#accepted).key);
  }

  accept(body: ReceivedBody): Awaitable<Rejection | undefined> {
    const { registry } = this.#means;
    const client = this.#client;
    // The registry may have changed or become unreachable while the body arrived, so decide the head again.
    if (!registry.isFresh() || registry.clientById(client.clientId) !== client)
      return this.#acceptAgain(body);
    return this.#acceptBody(body);
  }

  async #acceptAgain(body: ReceivedBody): Promise<Rejection | undefined> {
    if (!(await isFreshNow(this.#means.registry))) return staleRegistry;
    const again = decideHead(this.#head, this.#operation, this.#means);
    if (again.refusal) return rejectionOf(again.refusal, again.decision, senderOf(again.decision));
    this.#accepted = again.decision;
    return this.#acceptBody(body);
  }

  #acceptBody(body: ReceivedBody): Awaitable<Rejection | undefined> {
    return andThen(
      checkBody(body, this.#head, this.#accepted) ?? this.#accepted.replay(),
      (refusal) => refusal && rejectionOf(refusal, this.#accepted, this.sender),
    );
  }

  answer(body: ReceivedBody, waiting: WaitingClient): Promise<Answer> | Answer {
    return this.#operation.answer(provedClient(this.#accepted), body, waiting);
  }
}

/** Runs check 12, or what the authorizer was configured to do without the body. */
function checkBody(
  body: ReceivedBody,
  { unseenBody }: RequestHead,
  decision: Decision,
): Rejection | undefined {
  if (unseenBody === undefined) return decision.body(body);
  return unseenBody === 'refuse' ? bodyUnseen : undefined;
}

function provedClient(decision: Decision): ProvedClient {
  const { examination } = decision;
  return { client: examination.client!, key: decision.key()!, examination, profiled: decision.profiled() };
}

/** Separates the client that the request claims from the one that it proved. */
function senderOf({ examination }: Decision, key?: UsableKey): Sender {
  const { keyid, client, created, nowSeconds } = examination;
  return {
    claimedClientId: keyid,
    client,
    ...(key && { key, clockDifferenceSeconds: created - nowSeconds }),
  };
}

function rejectionOf(refusal: Rejection, decision: Decision, sender: Sender): Rejection {
  const isOfOtherProfile = decision.isOfOtherProfile();
  return { ...refusal, sender, wanted: decision.wanted(), isOfOtherProfile };
}

/** Bounds how long a request waits for storage: the client must learn of an outage within a second. */
const lookTimeoutMs = 500;

/**
 * Returns true if the registry is up to date, reading storage if necessary. False if that fails or takes too
 * long.
 */
export async function isFreshNow(registry: ClientLookup): Promise<boolean> {
  if (registry.isFresh()) return true;
  return (await isDoneInTime(registry.refresh())) && registry.isFresh();
}

/** Reads a client. Resolves with false if that fails or takes too long. */
export async function isRead(registry: ClientLookup, clientId: string): Promise<boolean> {
  return (await isDoneInTime(registry.read(clientId))) && !registry.isUnread(clientId);
}

async function isDoneInTime(look: Promise<void>): Promise<boolean> {
  const patience = new AbortController();
  const timeout = sleep(lookTimeoutMs, false, { signal: patience.signal });
  timeout.catch(() => undefined);
  try {
    return await Promise.race([look.then(() => true), timeout]);
  } catch {
    return false;
  } finally {
    patience.abort();
  }
}

const bodyUnseen: Rejection = {
  ok: false,
  code: 'body_unseen',
  reason: "the proxy did not pass on the request's body",
};

const staleRegistry: Rejection = {
  ok: false,
  code: 'registry_stale',
  reason: 'the registry could not be read',
  retryAfterSeconds: 1,
};
