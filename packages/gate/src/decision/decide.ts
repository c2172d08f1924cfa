import type { Requirement } from '@countersign/contract/permissions';
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
  isProfileId,
  type Means,
  type Refusal,
  type RefusalCode,
  type SignatureRules,
  walk,
} from '@countersign/signature/profile';
import type { ProfiledIdentity } from '../proxy/forwarded-headers.ts';
import type { RegisteredClient, Registry, UsableKey } from '../registry.ts';
import { offeredSignature, offersClosed } from './offered-profiles.ts';
import { notAccepted, type OtherProfiles, ProfiledRequest } from './profiled-request.ts';
import { checkActive, checkNetwork, checkPermission, checkProfile } from './standing.ts';

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
  /** Names and values in turn, as received. Needed only where clients may have other profiles. */
  readonly rawHeaders?: readonly string[];
  /** Rejects signatures by other profiles that leave a part of the request open. */
  readonly mustBindAll?: true | undefined;
  /** The names of the profiles that a client can have here; undefined for all. */
  readonly profiles?: readonly string[] | undefined;
  /** The names of those that the base URL accepts, whatever the route: anyone may learn them. Undefined for all. */
  readonly offeredProfiles?: readonly string[] | undefined;
}

/** The registry, the replay guard and the rules that the decision uses. */
export interface DecisionMeans {
  readonly registry: Pick<Registry, 'clientById' | 'clientByKeyName' | 'standIn'> &
    Partial<Pick<Registry, 'isReading'>>;
  readonly guard: AsyncReplayGuard;
  readonly rules: SignatureRules;
  /**
   * The length of the longest signature by a key that can be registered. A longer one is rejected without an operation
   * with any key. Defaults to the longest that any service allows.
   */
  readonly signatureBytesMax?: number;
  /** The profiles that clients may have besides the closed one; none if undefined. */
  readonly otherProfiles?: OtherProfiles | undefined;
}

/** The decision about one request, in the three stages at which it can be rejected. Call them in this order. */
export interface Decision {
  /** Everything read from the request so far. `keyid` names the claimed client; `client` is the proven one. */
  readonly examination: Examination<RegisteredClient>;
  /** Returns the key that verified the signature; undefined until one has. */
  key(): UsableKey | undefined;
  /** Returns the other profile that the request followed, once it is accepted; undefined for the closed one. */
  profiled(): ProfiledIdentity | undefined;
  /** Returns the `Accept-Signature` of the client's other profile, once a key has verified; before, that of the base URL, if it does not accept the closed profile. */
  wanted(): string | undefined;
  /** Returns true if the request is not one of the closed profile: by its client, or while no key has verified, by its shape. */
  isOfOtherProfile(): boolean;
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
export function decide(attempt: Attempt, decisionMeans: DecisionMeans): Decision {
  const { registry, guard, rules, signatureBytesMax, otherProfiles } = decisionMeans;
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
    // Of a client with another profile, nothing is decided here.
    profileOf: ({ profile }) => (isProfileId(profile) ? profile : 'countersign-without-date'),
    standing: {
      checkActive: (client) => checkProfile(client, attempt) ?? checkActive(client),
      checkNetwork: (client) => checkNetwork(client, attempt),
      checkPermission: (client) => checkPermission(client, attempt),
    },
    contentDigest,
    useSignature: () =>
      guard.use(usedSignature(examination, examination.client?.accountId), examination.nowSeconds),
  };
  let profiled: ProfiledRequest | undefined;
  return {
    examination,
    key: () => (profiled === undefined ? keys[examination.keyIndex] : profiled.key),
    profiled: () => profiled?.identity,
    wanted: () =>
      examination.client === undefined ? offeredSignature(attempt, otherProfiles) : profiled?.wanted,
    isOfOtherProfile: () => profiled?.isOther ?? (examination.client === undefined && !offersClosed(attempt)),
    // The registry reads from memory and node:crypto is synchronous here, so neither stage returns a promise.
    head: () => {
      const refusal = walk(headChecks, examination, means) as Refusal | undefined;
      const { client } = examination;
      const isClosed = client === undefined ? !hasAnotherShape(refusal) : isProfileId(client.profile);
      if (isClosed) return refusal;
      if (otherProfiles === undefined) return client === undefined ? refusal : notAccepted(client);
      examination.client = undefined;
      profiled = new ProfiledRequest(attempt, examination, { ...decisionMeans, otherProfiles });
      return profiled.head(refusal);
    },
    body: (body) => {
      if (profiled !== undefined) return profiled.body(body);
      examination.body = body;
      return walk(bodyChecks, examination, means) as Refusal | undefined;
    },
    replay: () => (profiled === undefined ? walk(replayChecks, examination, means) : profiled.replay()),
  };
}

/** Returns true if a request is not of the closed profile's shape, and so may be of another's. */
function hasAnotherShape(refusal: Refusal | undefined): boolean {
  return refusal !== undefined && shapeCodes.includes(refusal.code);
}

const shapeCodes: readonly RefusalCode[] = [
  'signature_missing',
  'signature_malformed',
  'parameters_invalid',
  'algorithm_not_allowed',
  'components_invalid',
  'date_invalid',
  'date_mismatch',
  'digest_missing',
  'digest_malformed',
];

const none: readonly UsableKey[] = [];
const headChecks = checksOf('head');
const bodyChecks = checksOf('body');
const replayChecks = checksOf('replay');
