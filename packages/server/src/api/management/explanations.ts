import { isProfileId } from '@countersign/signature/profile';
import { type ExplanationRequest, isClientId, type RequestExplanation } from '@countersign/contract';
import { namedClientId, ProblemError } from '@countersign/gate';
import type { ExplanationTask } from '../../explanations/explainer.ts';
import { candidatesOf, shownExplanation, withoutKeys } from '../../explanations/shown-explanation.ts';
import { readAccountKeys } from '../../registry/store/account-keys.ts';
import { readClients } from '../../registry/store/client-records.ts';
import { readKeyNameOwner } from '../../registry/store/key-names.ts';
import { readExplanation } from '../../request-log/records/explanations.ts';
import { readableAccount } from '../caller-scope.ts';
import type { ApiRequest } from '../handler.ts';
import { defineHandlers } from '../handlers.ts';
import { idInPath } from '../input.ts';
import type { ApiParts } from '../parts.ts';
import { rejectPrivateKeys } from '../private-key.ts';

export const explanationHandlers = defineHandlers(({ database, explaining }) => ({
  /** The explanation is made some time after the request, or not at all. */
  getRequestExplanation: async (_input, request) => {
    const text = await readExplanation(
      database,
      idInPath(request, 'requestId', 'request'),
      readableAccount(request),
    );
    if (text === undefined) throw new ProblemError('not_found');
    const explanation = JSON.parse(text) as RequestExplanation;
    const seesKeys = request.caller.permissions.has('keys:read');
    return { status: 200, body: seesKeys ? explanation : withoutKeys(explanation) };
  },

  /**
   * Explains with the keys of the caller's account, even if the request names another account's client, and
   * stores nothing.
   */
  explainRequest: async ({ body: pasted }, request) => {
    await rejectHiddenPrivateKeys(pasted);
    const { accountId, permissions } = request.caller;
    const nowMs = pasted.receivedAt === undefined ? request.nowMs : Date.parse(pasted.receivedAt);
    const headers = pasted.headers.map(({ name, value }) => [name, value] as const);
    const named = namedClientId(headers.flat());
    const clientId = named && (await namedClientOf(accountId, named, database));
    const keys = await readAccountKeys(database, { accountId, clientId, othersMax: keysMax, nowMs });
    const profile = await profileOfNamed(request, clientId, { database });
    const task: ExplanationTask = {
      request: { method: pasted.method, targetUri: pasted.targetUri, headers, body: bodyOf(pasted) },
      candidates: candidatesOf(keys, permissions.has('clients:read')),
      options: {
        ...explaining.options(),
        nowSeconds: Math.floor(nowMs / 1000),
        profile: isProfileId(profile) ? profile : undefined,
        ...(pasted.claimedBase !== undefined && { claimedBase: pasted.claimedBase }),
      },
    };
    const messageProfile =
      profile === undefined ? undefined : explaining.otherProfiles?.get(profile)?.profile;
    const outcome = await explaining.explain({ ...task, messageProfile }, accountId);
    if (outcome === undefined) {
      throw new ProblemError('rate_limited', {
        members: { reason: 'too many explanations were requested at once', retryAfterSeconds: 1 },
      });
    }
    return { status: 200, body: shownExplanation(outcome.explanation) };
  },
}));

/** Returns the ID that a `keyid` stands for: that of the account's client whose key it names, or else the `keyid` itself. */
async function namedClientOf(
  accountId: string,
  keyid: string,
  database: ApiParts['database'],
): Promise<string | undefined> {
  const owner = await readKeyNameOwner(database, accountId, keyid);
  return owner ?? (isClientId(keyid) ? keyid : undefined);
}

/** Returns the profile of the named client, if it belongs to the caller's account. */
async function profileOfNamed(
  { caller }: ApiRequest,
  clientId: string | undefined,
  { database }: Pick<ApiParts, 'database'>,
): Promise<string | undefined> {
  if (clientId === undefined) return undefined;
  const [named] = await readClients(database, [clientId]);
  if (named?.accountId !== caller.accountId) return undefined;
  return named.profile;
}

function bodyOf({ bodyText, bodyBase64 }: ExplanationRequest): Uint8Array | undefined {
  if (bodyBase64 !== undefined) return Buffer.from(bodyBase64, 'base64');
  return bodyText === undefined ? undefined : Buffer.from(bodyText);
}

/**
 * Rejects private keys in a pasted request: in its many long texts, and in a body that may be a document
 * containing a key.
 */
async function rejectHiddenPrivateKeys(pasted: ExplanationRequest): Promise<void> {
  const body = bodyOf(pasted);
  const texts = [pasted.claimedBase, pasted.targetUri, body && Buffer.from(body).toString('latin1')];
  if (texts.some((text) => text !== undefined && privateKeyMark.test(text)))
    throw new ProblemError('private_key_refused');
  await rejectPrivateKeys([...pasted.headers.map(({ value }) => value), ...texts]);
}

const privateKeyMark = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/;
const keysMax = 250;
