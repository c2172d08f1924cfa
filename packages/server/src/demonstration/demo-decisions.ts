import {
  NetworkWhitelist,
  operations,
  parseAddress,
  type Permission,
  builtInRoles,
  problems,
} from '@countersign/contract';
import {
  decide,
  namedClientId,
  readVerificationKey,
  type RegisteredClient,
  type RequestRecord,
  type UsableKey,
} from '@countersign/gate';
import { createSigner, MemoryReplayGuard } from '@countersign/signature/node';
import { readSignatureHeaders, type SignatureRules } from '@countersign/signature/profile';
import type { NamedFailure } from '../explanations/failure-explanations.ts';
import type { RequestDetail } from '../request-log/writing/request-store.ts';
import type { DemoClient } from './demo-clients.ts';
import { type DemoKey, signingKeyAt } from './demo-keys.ts';
import { payment, sendWithMistake, type SentRequest } from './demo-mistakes.ts';
import type { DemoRequest } from './demo-traffic.ts';

/** A registered demo client. */
export interface RegisteredDemoClient {
  readonly client: DemoClient;
  readonly clientId: string;
  readonly accountId: string;
  readonly keys: readonly (DemoKey & { readonly keyId: string; readonly fingerprint: string })[];
}

/** The input of the request log and the explainer. */
export interface DecidedRequest {
  readonly record: RequestRecord;
  readonly detail: RequestDetail;
  readonly failure?: NamedFailure;
}

export interface DecisionOptions {
  readonly rules: SignatureRules;
  readonly baseUrl: string;
}

/** Records a request that was accepted. */
export function acceptedRequest(
  request: DemoRequest,
  registered: RegisteredDemoClient,
  requestId: string,
): DecidedRequest {
  const { method, path, query = '', status } = request.call;
  const { keyId, fingerprint } = signingKeyAt(
    registered.keys,
    request.atMs,
  ) as RegisteredDemoClient['keys'][number];
  const { clientId } = registered;
  return {
    record: {
      requestId,
      outcome: 'accepted',
      status,
      method,
      path,
      sourceAddress: request.address,
      durationMs: request.durationMs,
      clientId,
      keyFingerprint: fingerprint,
      clockDifferenceSeconds: request.clockDifferenceSeconds,
    },
    detail: detailOf(request, clientId, { isAccepted: true, isProved: true, keyId, query }),
  };
}

/**
 * Signs a request, makes its mistake, and lets the service's checks decide as of the request's time, so that
 * code, reason and explanation are the same as for a real request.
 */
export async function refusedRequest(
  request: DemoRequest,
  registered: RegisteredDemoClient,
  requestId: string,
  { rules, baseUrl }: DecisionOptions,
): Promise<DecidedRequest> {
  const { clientId, keys } = registered;
  const { atMs, call, mistake = 'other host', address } = request;
  const nowSeconds = Math.floor(atMs / 1000);
  const key = mistake === 'ended key' ? keys[0]! : signingKeyAt(keys, atMs);
  const signer = createSigner({ keyid: clientId, privateKey: key.privateKey });
  const url = `${baseUrl}${call.path}${call.query === undefined ? '' : `?${call.query}`}`;
  const body = call.method === 'POST' ? payment(request.number) : '';
  const sent = sendWithMistake(signer, { method: call.method, url, body, nowSeconds }, mistake);
  const rawHeaders = Object.entries({
    Host: new URL(sent.url).host,
    'User-Agent': 'demo',
    ...sent.headers,
  }).flat();
  const client = clientAt(registered, atMs, mistake === 'client disabled');
  const guard = new MemoryReplayGuard({ monotonicMs: () => atMs });
  const means = { registry: { clientById: () => client }, guard, rules };
  const attempt = attemptOf(sent, rawHeaders, { address, nowSeconds });
  const bytes = Buffer.from(sent.body);
  const decideOnce = async () => {
    const decision = decide(attempt, means);
    const headRefusal = decision.head();
    const refusal = headRefusal ?? decision.body(bytes) ?? (await decision.replay());
    return { decision, refusal, isHeadRefused: headRefusal !== undefined };
  };
  const first = await decideOnce();
  // The guard already knows the signature of a request that was sent before.
  const { decision, refusal, isHeadRefused } = mistake === 'sent twice' ? await decideOnce() : first;
  const found =
    mistake === 'too many requests'
      ? ({ code: 'rate_limited', reason: 'the caller has reached its request limit' } as const)
      : refusal;
  if (found === undefined) throw new Error(`The checks accept a request with the mistake "${mistake}".`);
  const isProved = decision.examination.client !== undefined;
  const provingKey = isHeadRefused ? undefined : decision.key();
  const { pathname, search } = new URL(sent.url);
  const named = namedClientId(rawHeaders) ?? clientId;
  const query = search.slice(1);
  return {
    record: {
      requestId,
      outcome: found.code,
      status: problems[found.code].status,
      method: sent.method,
      path: pathname,
      sourceAddress: address,
      durationMs: request.durationMs / 4,
      ...(isProved ? { clientId } : { claimedClientId: named }),
      keyFingerprint: provingKey?.fingerprint,
      clockDifferenceSeconds: provingKey && decision.examination.created - nowSeconds,
      reason: found.reason,
    },
    detail: detailOf(request, named, { isAccepted: false, isProved, keyId: provingKey?.keyId, query }),
    failure: {
      requestId,
      code: found.code,
      clientId: named,
      receivedAtMs: atMs,
      method: sent.method,
      targetUri: sent.url,
      query,
      rawHeaders,
      body: bytes,
    },
  };
}

function attemptOf(
  sent: SentRequest,
  rawHeaders: readonly string[],
  { address, nowSeconds }: { readonly address: string; readonly nowSeconds: number },
): Parameters<typeof decide>[0] {
  const source = parseAddress(address);
  const { pathname } = new URL(sent.url);
  const requirement = Object.values(operations).find(
    ({ method, path }) => method === sent.method && path === pathname,
  );
  return {
    method: sent.method,
    targetUri: sent.url,
    headers: readSignatureHeaders(rawHeaders),
    hasBody: sent.body !== '',
    nowSeconds,
    sourceAddress: address,
    isSourceAllowed: ({ network }) => source !== undefined && network.allows(source),
    requirement,
    parameters: {},
  };
}

function operationPathOf({ method, path }: DemoRequest['call']): string | undefined {
  const parts = path.split('/');
  return Object.values(operations).find((operation) => {
    const named = operation.path.split('/');
    const isAlike = named.every((part, index) => part.startsWith('{') || part === parts[index]);
    return operation.method === method && named.length === parts.length && isAlike;
  })?.path;
}

/** Returns a client as the checks saw it at a time. */
function clientAt(
  { client, clientId, accountId, keys }: RegisteredDemoClient,
  timeMs: number,
  isDisabled: boolean,
): RegisteredClient {
  return {
    clientId,
    accountId,
    name: client.name,
    status: isDisabled ? 'disabled' : 'active',
    profile: 'countersign',
    allowExplanations: false,
    keys: keys
      .filter(({ addedAtMs, endsAtMs }) => addedAtMs <= timeMs && timeMs < endsAtMs)
      .flatMap(({ publicKey, keyId, fingerprint, endsAtMs }): UsableKey[] => {
        const read = readVerificationKey(publicKey);
        return read ? [{ ...read, keyId, fingerprint, isPending: false, endsAtMs }] : [];
      }),
    network: NetworkWhitelist.fromTexts(client.network.map(({ entry }) => entry)),
    roles: client.roles,
    permissions: new Set<Permission>(client.roles.flatMap((role) => builtInRoles[role].permissions)),
  };
}

function detailOf(
  { atMs, address, call, durationMs }: DemoRequest,
  clientId: string,
  {
    isAccepted,
    isProved,
    keyId,
    query,
  }: {
    readonly isAccepted: boolean;
    readonly isProved: boolean;
    readonly keyId: string | undefined;
    readonly query: string;
  },
): RequestDetail {
  return {
    receivedAtMs: atMs,
    namedClientId: clientId,
    isAccepted,
    isProved,
    keyId,
    operationPath: operationPathOf(call),
    ownMs: isAccepted ? durationMs : durationMs / 4,
    shownQuery: query === '' ? '' : `?${query.replaceAll(/=[^&]*/g, '')}`,
    source: parseAddress(address),
  };
}
