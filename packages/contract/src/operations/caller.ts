import { defineOperations } from './operation.ts';

/** Accepts any method, query and body: it shows what was verified about the request. */
const signatureTest = {
  path: '/v1/signature-test',
  summary: 'Test a signature: returns what was verified, and does nothing else',
  permission: undefined,
  explainsRefusals: true,
  callers: 'clients',
  takesAnything: true,
  answer: 'SignatureTest',
} as const;

export const callerOperations = defineOperations('Caller', {
  getWhoami: {
    method: 'GET',
    path: '/v1/whoami',
    summary: "Get the caller's identity, and the request as the service sees it",
    permission: undefined,
    callers: 'clients',
    answer: 'Whoami',
  },
  testSignature: { ...signatureTest, method: 'GET' },
  testSignatureByPost: { ...signatureTest, method: 'POST', body: 'SignatureTestBody', isBodyOptional: true },
  testSignatureByPut: { ...signatureTest, method: 'PUT', body: 'SignatureTestBody', isBodyOptional: true },
  testSignatureByPatch: {
    ...signatureTest,
    method: 'PATCH',
    body: 'SignatureTestBody',
    isBodyOptional: true,
  },
  testSignatureByDelete: { ...signatureTest, method: 'DELETE' },
  getSource: {
    method: 'GET',
    path: '/v1/source',
    summary: "Get the caller's source address",
    permission: undefined,
    callers: 'people',
    answer: 'Source',
  },
});
