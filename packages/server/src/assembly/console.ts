import { performance } from 'node:perf_hooks';
import {
  admitClient,
  type Admission,
  type Answer,
  type ClientMeans,
  type Door,
  type FailedRequest,
  inMemory,
  isFreshNow,
  ProblemError,
  type ProvedClient,
  type ReceivedBody,
  type Rejection,
  type RequestHead,
  type Route,
  valuesOf,
} from '@countersign/gate';
import type { Api, ApiMatch } from '../api/api.ts';
import type { Caller } from '../api/caller.ts';
import type { ApiRequest, VerifiedRequest } from '../api/handler.ts';
import type { FindPage } from '../pages/page-route.ts';
import { admitPerson, isAdmittedAt, isOfPerson, type SessionParts } from '../people/sessions/admit-person.ts';

/** Everything the console is built from. */
export interface ConsoleParts {
  readonly api: Api;
  readonly clients: ClientMeans;
  /** Returns the names of the profiles that the base URL accepts for the next request; undefined for all. */
  readonly profiles: () => readonly string[] | undefined;
  /** Admits people by their sessions; undefined without a portal. */
  readonly sessions: SessionParts | undefined;
  /** Pages, in the order in which they are tried: health, documents, the portal's files and its sign-in. */
  readonly pages: readonly FindPage[];
  /** Explains a rejection for its response. Never rejects. */
  readonly explainNow: (failed: FailedRequest) => Promise<unknown>;
  /** Called when an admitted caller calls an operation. */
  readonly onCall: () => void;
  /** Called when a handler has finished, with its duration. */
  readonly onHandled: (durationMs: number) => void;
  readonly nowMs: () => number;
  /** The largest body that the service accepts. */
  readonly bodyBytesMax: number;
}

/**
 * Creates the console's door: pages, the sign-in, and the API for both kinds of caller. It has its own base
 * URLs, so it cannot hide paths of an API behind another door.
 */
export function createConsole(parts: ConsoleParts): Door {
  return {
    find(head) {
      // No page is below `/v1/`, which receives most requests.
      const pages = head.path.startsWith('/v1/') ? [] : parts.pages;
      for (const find of pages) {
        const route = find(head);
        if (route !== undefined) return route;
      }
      const match = parts.api.find(head.method, head.path);
      return parts.sessions && isOfPerson(head, match)
        ? personRoute(match, parts.sessions, parts)
        : clientRoute(match, parts);
    },
  };
}

/** Explains to a caller waiting for an explanation why there is none, and how to get one. */
const explanationWithheld =
  'Too many rejections were explained for this client in the last minutes, or the service is busy. Wait ten seconds and send ' +
  'a new request, or paste this one into the signature debugger of the portal.';

/** Fits the longest whitelist that a client can have, with its labels. */
const managementBodyBytesMax = 524_288;

/** Limits the bodies of the management API, which are read completely, in the thread that serves all callers. */
function bodyLimit(match: ApiMatch, { bodyBytesMax }: ConsoleParts): Pick<Route, 'bodyBytesMax'> {
  if (!('operation' in match)) return {};
  const { group, takesLargeBodies } = match.operation;
  const isSandbox = group === 'Payments' || group === 'Caller';
  return isSandbox || takesLargeBodies
    ? {}
    : { bodyBytesMax: Math.min(managementBodyBytesMax, bodyBytesMax) };
}

/** Creates the route of an operation called with a signed request. */
function clientRoute(match: ApiMatch, parts: ConsoleParts): Route {
  const requirement = 'operation' in match ? match.operation : undefined;
  const parameters = 'operation' in match ? match.parameters : {};
  return {
    kind: 'client',
    operationPath: requirement?.path,
    isFailureLimited: true,
    ...bodyLimit(match, parts),
    admit: (head) => {
      const answer = (proved: ProvedClient, body: ReceivedBody): Promise<Answer> =>
        callHandler(match, head, inMemory(body), acceptedClient(proved, head), parts);
      const profiles = parts.profiles();
      const operation = { requirement, parameters, answer, profiles, offeredProfiles: profiles };
      return admitClient(head, { ...operation, mustBindAll: true }, parts.clients);
    },
    ...(requirement?.explainsRefusals && {
      explainRefusal: async (failed) => {
        const explanation = await parts.explainNow(failed);
        return explanation === 'withheld' ? { explanationWithheld } : { explanation };
      },
    }),
  };
}

/** Creates the route of an operation called by a person, with a session instead of a signature. */
function personRoute(match: ApiMatch, sessions: SessionParts, parts: ConsoleParts): Route {
  return {
    kind: 'person',
    isFailureLimited: true,
    ...bodyLimit(match, parts),
    admit: async (head): Promise<Admission | Rejection> => {
      // While storage is unavailable, no session can be looked up, and anyone can claim to have one.
      if (!(await isFreshNow(parts.clients.registry))) return storageAway;
      const admission = await admitPerson(head, match, sessions);
      if (!admission.ok) {
        const { methods, sourceAddress, userId, ...refusal } = admission;
        const members = { ...(methods && { methods }), ...(sourceAddress && { sourceAddress }) };
        return { ...refusal, sender: { userId }, members };
      }
      const { caller } = admission;
      const { userId } = caller.person;
      const accepted: AcceptedCaller = {
        caller,
        verified: () => {
          throw new Error('A request with a session has no signature.');
        },
        isStillAdmitted: () => isAdmittedAt(head, match, sessions, parts.nowMs()),
      };
      return {
        ok: true,
        sender: { userId, accountId: caller.accountId },
        // No client ID contains a space.
        limited: { countedAs: `person ${userId}` },
        answer: (body) => callHandler(match, head, inMemory(body), accepted, parts),
      };
    },
  };
}

const storageAway: Rejection = {
  ok: false,
  code: 'storage_unavailable',
  reason: 'the registry could not be read',
  retryAfterSeconds: 1,
};

type AcceptedCaller = Pick<ApiRequest, 'caller' | 'verified' | 'isStillAdmitted'>;

function acceptedClient(proved: ProvedClient, { source }: RequestHead): AcceptedCaller {
  const { client, key, examination } = proved;
  const caller: Caller = {
    kind: 'client',
    client,
    key,
    accountId: client.accountId,
    permissions: client.permissions,
    sourceAddress: source.text,
    clockDifferenceSeconds: examination.created - examination.nowSeconds,
  };
  return { caller, verified: () => verifiedRequest(proved) };
}

function verifiedRequest({ examination, profiled }: ProvedClient): VerifiedRequest {
  const { method, targetUri, created, contentDigest, base } = examination;
  // Only the closed profile has lists that are known beforehand.
  const components = profiled?.components ?? examination.components.identifiers;
  return { method, targetUri, components, created, contentDigest, base };
}

/** Calls the operation's handler. Only an accepted caller learns which paths exist. */
async function callHandler(
  match: ApiMatch,
  { query, rawHeaders, requestId, receivedAtMs }: RequestHead,
  body: Uint8Array,
  accepted: AcceptedCaller,
  { onCall, onHandled }: ConsoleParts,
): Promise<Answer> {
  if ('problem' in match) {
    const headers = match.problem === 'method_not_allowed' ? { Allow: match.allow.join(', ') } : {};
    throw new ProblemError(match.problem, { headers });
  }
  const startedMs = performance.now();
  onCall();
  try {
    return await match.handler({
      operation: match.operation,
      parameters: match.parameters,
      query,
      header: (name) => {
        const values = valuesOf(rawHeaders, name.toLowerCase());
        return values.length === 0 ? undefined : values.join(', ');
      },
      body,
      ...accepted,
      requestId,
      nowMs: receivedAtMs,
    });
  } finally {
    onHandled(performance.now() - startedMs);
  }
}
