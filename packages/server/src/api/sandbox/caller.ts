import type { OperationId } from '@countersign/contract';
import { clientCaller } from '../caller.ts';
import { defineHandlers, type OperationHandler } from '../handlers.ts';
import { timestamp } from '../timestamp.ts';

/** Returns what was verified, without doing anything. */
const testSignature: OperationHandler<Extract<OperationId, `testSignature${string}`>> = (_input, request) => {
  const { client, key, clockDifferenceSeconds } = clientCaller(request);
  return {
    status: 200,
    body: {
      clientId: client.clientId,
      keyFingerprint: key.fingerprint,
      ...request.verified(),
      clockDifferenceSeconds,
      serverTime: timestamp(request.nowMs),
    },
  };
};

export const callerHandlers = defineHandlers(() => ({
  testSignature,
  testSignatureByPost: testSignature,
  testSignatureByPut: testSignature,
  testSignatureByPatch: testSignature,
  testSignatureByDelete: testSignature,

  getWhoami: (_input, request) => {
    const { client, key, sourceAddress, clockDifferenceSeconds } = clientCaller(request);
    return {
      status: 200,
      body: {
        clientId: client.clientId,
        accountId: client.accountId,
        name: client.name,
        keyFingerprint: key.fingerprint,
        roles: client.roles,
        permissions: [...client.permissions].toSorted(),
        sourceAddress,
        clockDifferenceSeconds,
        serverTime: timestamp(request.nowMs),
      },
    };
  },

  getSource: (_input, { caller: { sourceAddress } }) => ({
    status: 200,
    body: { ...(sourceAddress !== '' && { sourceAddress }) },
  }),
}));
