import {
  type ExplanationRequest,
  explanationRequestSchema,
  isClientId,
  isId,
  type RequestExplanation,
} from '@countersign/contract';
import type { ExplanationTask } from '../../explanations/explainer.ts';
import { candidatesOf, shownExplanation, withoutKeys } from '../../explanations/shown-explanation.ts';
import { readAccountKeys, readClients, readExplanation } from '../../registry/store.ts';
import { refuseBody } from '../request-body.ts';
import { readQuery } from '../request-query.ts';
import type { ApiRequest, Handler } from '../handler.ts';
import { namedClientId, ProblemError } from '@countersign/gate';
import { readableAccount } from './caller-scope.ts';
import { readManagementBody } from './management-body.ts';
import type { ManagementParts } from './parts.ts';
import { refusePrivateKeys } from './private-key.ts';

/** `GET /v1/requests/{requestId}/explanation`: it is made some time after the request, or not at all. */
export function getRequestExplanation({ database }: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    readQuery(request.query, []);
    const requestId = request.parameters['requestId'] ?? '';
    const text = isId('request', requestId)
      ? await readExplanation(database, requestId, readableAccount(request))
      : undefined;
    if (text === undefined) throw new ProblemError('not_found');
    const explanation = JSON.parse(text) as RequestExplanation;
    const seesKeys = request.caller.permissions.has('keys:read');
    return { status: 200, body: seesKeys ? explanation : withoutKeys(explanation) };
  };
}

/**
 * `POST /v1/explanations`: explains with the keys of the caller's account, and keeps nothing. Whose request it is does not
 * matter: with keys of others it cannot be told.
 */
export function explainPasted({ database, explaining }: ManagementParts): Handler {
  return async (request) => {
    readQuery(request.query, []);
    const pasted = readManagementBody(request, explanationRequestSchema);
    refuseHiddenPrivateKeys(pasted);
    const { accountId, permissions } = request.caller;
    const nowMs = pasted.receivedAt === undefined ? request.nowMs : Date.parse(pasted.receivedAt);
    const headers = pasted.headers.map(({ name, value }) => [name, value] as const);
    const named = namedClientId(headers.flat());
    const clientId = named !== undefined && isClientId(named) ? named : undefined;
    const keys = await readAccountKeys(database, { accountId, clientId, othersMax: keysMax, nowMs });
    const task: ExplanationTask = {
      request: { method: pasted.method, targetUri: pasted.targetUri, headers, body: bodyOf(pasted) },
      candidates: candidatesOf(keys, permissions.has('clients:read')),
      options: {
        ...explaining.options(),
        nowSeconds: Math.floor(nowMs / 1000),
        acceptWithoutDate: await acceptsWithoutDate(request, clientId, { database }),
        ...(pasted.claimedBase !== undefined && { claimedBase: pasted.claimedBase }),
      },
    };
    const outcome = await explaining.explain(task, accountId);
    if (outcome === undefined) {
      throw new ProblemError('rate_limited', {
        members: { reason: 'too many explanations are asked for at once', retryAfterSeconds: 1 },
      });
    }
    return { status: 200, body: shownExplanation(outcome.explanation) };
  };
}

/** What the record of the named client says, if it belongs to the caller's account. */
async function acceptsWithoutDate(
  { caller }: ApiRequest,
  clientId: string | undefined,
  { database }: Pick<ManagementParts, 'database'>,
): Promise<boolean> {
  if (clientId === undefined) return false;
  const [named] = await readClients(database, [clientId]);
  return named?.accountId === caller.accountId && named.acceptWithoutDate;
}

function bodyOf({ bodyText, bodyBase64 }: ExplanationRequest): Uint8Array | undefined {
  if (bodyBase64 !== undefined) return Buffer.from(bodyBase64, 'base64');
  return bodyText === undefined ? undefined : Buffer.from(bodyText);
}

/** A pasted request has many long texts, and a body that may be a document in which a key stands. */
function refuseHiddenPrivateKeys(pasted: ExplanationRequest): void {
  for (const { value } of pasted.headers) refusePrivateKeys(value);
  const body = bodyOf(pasted);
  const texts = [pasted.claimedBase, pasted.targetUri, body && Buffer.from(body).toString('latin1')];
  for (const text of texts) {
    refusePrivateKeys(text);
    if (text !== undefined && privateKeyMark.test(text)) throw new ProblemError('private_key_refused');
  }
}

const privateKeyMark = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/;
const keysMax = 250;
