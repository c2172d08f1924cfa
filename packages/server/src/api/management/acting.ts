import { type Acting, actingRequestSchema } from '@countersign/contract';
import {
  type ActingRecord,
  endActing as deleteActing,
  startActing as writeActing,
} from '../../registry/store.ts';
import { refuseBody } from '../request-body.ts';
import { readQuery } from '../request-query.ts';
import { personCaller } from '../caller.ts';
import type { Handler } from '../handler.ts';
import { changeContext } from './caller-scope.ts';
import { timestamp } from './key-view.ts';
import { readManagementBody } from './management-body.ts';
import type { ManagementParts } from './parts.ts';

/** `POST /v1/acting` */
export function startActing(parts: ManagementParts): Handler {
  return (request) => {
    readQuery(request.query, []);
    const asked = readManagementBody(request, actingRequestSchema);
    const context = changeContext(request, parts);
    const { sessionId } = personCaller(request);
    return parts.idempotency.run(request, async (transaction) => {
      const acting = await writeActing(transaction, asked, sessionId, context);
      return { status: 201, body: showActing(acting) };
    });
  };
}

/** `DELETE /v1/acting`: answers with what has ended. */
export function endActing(parts: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    readQuery(request.query, []);
    const context = changeContext(request, parts);
    const acting = await deleteActing(parts.database, personCaller(request).sessionId, context);
    return { status: 200, body: showActing(acting) };
  };
}

function showActing({ accountId, accountName, reason, endsAtMs }: ActingRecord): Acting {
  return { accountId, accountName, reason, endsAt: timestamp(endsAtMs) };
}
