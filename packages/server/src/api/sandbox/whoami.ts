import type { Whoami } from '@countersign/contract';
import { refuseBody } from '../request-body.ts';
import { readQuery } from '../request-query.ts';
import { clientCaller } from '../caller.ts';
import type { Handler } from '../handler.ts';

/** `GET /v1/whoami` */
export const getWhoami: Handler = (request) => {
  refuseBody(request);
  readQuery(request.query, []);
  const { client, key, sourceAddress, clockDifferenceSeconds } = clientCaller(request);
  const body: Whoami = {
    clientId: client.clientId,
    accountId: client.accountId,
    name: client.name,
    keyFingerprint: key.fingerprint,
    roles: client.roles,
    permissions: [...client.permissions].toSorted(),
    sourceAddress,
    clockDifferenceSeconds,
    serverTime: new Date(request.nowMs).toISOString(),
  };
  return { status: 200, body };
};
