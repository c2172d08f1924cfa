import { defineOperations } from './operation.ts';

/** Any method, query and body: it shows what was verified of the request. */
const signatureTest = {
  path: '/v1/signature-test',
  summary: 'Do nothing, and show what was verified of the request',
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
    summary: 'Show who the caller is and how the service sees the request',
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
    summary: 'Tell where the request comes from',
    permission: undefined,
    callers: 'people',
    answer: 'Source',
  },
});
