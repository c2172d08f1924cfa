import {
  checkBodyDigest,
  checkDateCovered,
  type PresentedSignature,
  presentedSignatureBase,
  readPresentedSignature,
  signatureInvalid,
  type SignatureRules,
} from '@countersign/signature/steps';
import {
  type AsyncReplayGuard,
  contentDigest,
  findVerifyingKey,
  type Refusal,
  usedSignature,
} from '@countersign/signature/node';
import { isPermitted } from '@countersign/contract/permissions';
import type { RegisteredClient, Registry, UsableKey } from '../registry.ts';
import type { Admission, Attempt, Denial } from './decision.ts';

/** What the checks ask: everything that is not in the request itself. */
export interface AccessDependencies {
  readonly registry: Pick<Registry, 'clientById'>;
  readonly guard: AsyncReplayGuard;
  readonly rules: SignatureRules;
}

/** The two halves of the decision: before a body is read, and after. */
export interface AccessChecks {
  admit(attempt: Attempt, dependencies: AccessDependencies): Admission | Denial;
  accept(
    admission: Admission,
    body: Uint8Array,
    dependencies: AccessDependencies,
  ): Promise<Denial | undefined> | Denial | undefined;
}

/*
 * The decision, from top to bottom: the checks of docs/profile.md section 2.1 in their order. A check answers with the
 * refusal of the request, or with nothing. Check 1 is http/framing.ts; checks 2 to 7, which need no key, are the list in
 * packages/signature/src/presented-signature.ts. The order is part of the contract, and tests hold it.
 */

/** Checks 2 to 11: what the headers alone decide. Synchronous, never throws for bad input, remembers nothing. */
export function admit(attempt: Attempt, { registry, rules }: AccessDependencies): Admission | Denial {
  // 2 to 7: the fields are there, well-formed, complete and timely
  const presented = readPresentedSignature(attempt.headers, attempt.hasBody, rules, attempt.nowSeconds);
  if (!presented.ok) return presented;

  // 8: a usable key of the client made this signature over this request
  const proof = proveCaller(presented, attempt, registry);
  if (!proof.ok) return proof;
  const { client, key } = proof;

  // From here on the caller has proved who it is and may be told everything.
  const denial =
    checkDateCovered(presented, client.acceptWithoutDate) ?? // 6, for signers without "date"
    checkActive(client) ?? // 9
    checkNetwork(client, attempt) ?? // 10
    checkPermission(client, attempt); // 11
  return denial ? { ...denial, clientId: client.clientId } : { ok: true, client, key, presented, attempt };
}

/** Checks 12 and 13: the body is the signed one, and this signature is used for the first time. */
export function accept(
  { presented, attempt, client }: Admission,
  body: Uint8Array,
  { guard }: AccessDependencies,
): Promise<Denial | undefined> | Denial | undefined {
  // 12: the bytes are those that were signed (their number is limited where they are read, http/body.ts)
  const actual = body.length > 0 ? contentDigest(body) : undefined;
  const otherBody = checkBodyDigest(presented, body.length, actual);
  if (otherBody) return { ...otherBody, clientId: client.clientId };

  // 13: not used before; a guard that cannot tell refuses
  const used = guard.use(usedSignature(presented, attempt.method), attempt.nowSeconds);
  return used instanceof Promise ? used.then((refusal) => named(refusal, client)) : named(used, client);
}

type Proof = { readonly ok: true; readonly client: RegisteredClient; readonly key: UsableKey };

function proveCaller(
  presented: PresentedSignature,
  attempt: Attempt,
  registry: Pick<Registry, 'clientById'>,
): Proof | Denial {
  const client = registry.clientById(presented.keyid);
  const keys = client?.usableKeys ?? [];
  const base = presentedSignatureBase(presented, attempt.method, attempt.targetUri);
  const key = keys[findVerifyingKey(keys, base, presented.signature)];
  if (client && key) return { ok: true, client, key };
  return { ...signatureInvalid(client !== undefined), clientId: presented.keyid };
}

function checkActive(client: RegisteredClient): Denial | undefined {
  return client.status === 'active' ? undefined : deny('client_disabled', `the client is ${client.status}`);
}

function checkNetwork(client: RegisteredClient, attempt: Attempt): Denial | undefined {
  if (attempt.isSourceAllowed(client)) return undefined;
  const seen = attempt.sourceAddress === '' ? 'cannot be determined' : `is ${attempt.sourceAddress}`;
  return deny('network_not_allowed', `the source address ${seen}, which is not in the network whitelist`);
}

function checkPermission(
  { clientId, permissions }: RegisteredClient,
  { requirement, parameters }: Attempt,
): Denial | undefined {
  if (
    requirement === undefined ||
    isPermitted(requirement, parameters, { kind: 'client', clientId }, permissions)
  )
    return undefined;
  const reason =
    requirement.callers === 'people'
      ? 'only people who are signed in to the portal can do it'
      : `the operation needs the permission ${requirement.permission}, which no role of the client has`;
  return deny('permission_denied', reason);
}

function deny(code: Denial['code'], reason: string): Denial {
  return { ok: false, code, reason };
}

function named(refusal: Refusal | undefined, client: RegisteredClient): Denial | undefined {
  return refusal && { ...refusal, clientId: client.clientId };
}
