import { readSignatureHeaders } from '@countersign/signature/profile';
import type { decide } from '../../src/index.ts';

/** Makes a GET without a body of some header lines, as a decision takes it: from anywhere, to an operation for everybody. */
export function attemptOf(
  targetUri: string,
  headers: Parameters<typeof readSignatureHeaders>[0],
): Parameters<typeof decide>[0] {
  return {
    method: 'GET',
    targetUri,
    headers: readSignatureHeaders(headers),
    hasBody: false,
    nowSeconds: Math.floor(Date.now() / 1000),
    sourceAddress: '',
    isSourceAllowed: () => true,
    requirement: undefined,
    parameters: {},
  };
}
