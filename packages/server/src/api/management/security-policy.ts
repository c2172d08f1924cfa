import { type SecurityPolicy, securityPolicyChangeSchema } from '@countersign/contract';
import { type PolicyRecord, readPolicy, updatePolicy } from '../../registry/store.ts';
import { entityTag } from '../entity-tag.ts';
import { refuseBody } from '../request-body.ts';
import { readQuery } from '../request-query.ts';
import { type Answer, ProblemError } from '@countersign/gate';
import { personCaller } from '../caller.ts';
import type { Handler } from '../handler.ts';
import { changeContext } from './caller-scope.ts';
import { readManagementBody } from './management-body.ts';
import type { ManagementParts } from './parts.ts';

/** `GET /v1/security-policy` */
export function getSecurityPolicy({ database }: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    readQuery(request.query, []);
    return policyAnswer(await readPolicy(database, request.caller.accountId));
  };
}

/** `PATCH /v1/security-policy` */
export function changeSecurityPolicy(parts: ManagementParts): Handler {
  return async (request) => {
    readQuery(request.query, []);
    const change = readManagementBody(request, securityPolicyChangeSchema);
    const context = changeContext(request, parts);
    // Otherwise the person would be shut out by the answer to its own request.
    if (change.isSecondFactorRequired === true && !personCaller(request).hasSecondFactor) {
      throw new ProblemError('second_factor_required', {
        members: { reason: 'only somebody who has a second factor can demand one of the others' },
      });
    }
    return policyAnswer(await updatePolicy(parts.database, change, context));
  };
}

function policyAnswer(record: PolicyRecord): Answer {
  const body: SecurityPolicy = {
    isSecondFactorRequired: record.isSecondFactorRequired,
    sessionHoursMax: record.sessionHoursMax ?? null,
    keyAgeDaysMax: record.keyAgeDaysMax ?? null,
  };
  return { status: 200, headers: { ETag: entityTag(record.version) }, body };
}
