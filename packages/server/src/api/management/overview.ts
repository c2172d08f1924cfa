import type { Source } from '@countersign/contract';
import { readChecklist } from '../../registry/store.ts';
import { refuseBody } from '../request-body.ts';
import { readQuery } from '../request-query.ts';
import type { Handler } from '../handler.ts';
import type { ManagementParts } from './parts.ts';

/** `GET /v1/checklist` */
export function getChecklist({ database }: Pick<ManagementParts, 'database'>): Handler {
  return async (request) => {
    refuseBody(request);
    readQuery(request.query, []);
    return { status: 200, body: await readChecklist(database, request.caller.accountId) };
  };
}

/** `GET /v1/source` */
export const getSource: Handler = (request) => {
  refuseBody(request);
  readQuery(request.query, []);
  const { sourceAddress } = request.caller;
  const body: Source = { ...(sourceAddress !== '' && { sourceAddress }) };
  return { status: 200, body };
};

/** `GET /v1/service-health`: of the node that answers. */
export function getServiceHealth({ health }: Pick<ManagementParts, 'health'>): Handler {
  return (request) => {
    refuseBody(request);
    readQuery(request.query, []);
    return { status: 200, body: health() };
  };
}
