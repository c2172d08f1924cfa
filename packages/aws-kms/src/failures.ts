import { KeyStoreError, type KeyStoreErrorCode } from '@countersign/key-store';
import { visibleText } from '@countersign/key-store/building';

/** Errors of AWS KMS and of the SDK by name. Any other one is a failure of the service or the network. */
const codes: Readonly<Record<string, KeyStoreErrorCode>> = {
  NotFoundException: 'key_not_found',
  DisabledException: 'key_unusable',
  InvalidKeyUsageException: 'key_unusable',
  KMSInvalidStateException: 'key_unusable',
  UnsupportedOperationException: 'key_unusable',
  ValidationException: 'key_unusable',
  InvalidArnException: 'options_invalid',
  AccessDeniedException: 'access_denied',
  CredentialsProviderError: 'access_denied',
  ExpiredTokenException: 'access_denied',
  IncompleteSignature: 'access_denied',
  IncompleteSignatureException: 'access_denied',
  InvalidClientTokenId: 'access_denied',
  InvalidSignatureException: 'access_denied',
  MissingAuthenticationToken: 'access_denied',
  MissingAuthenticationTokenException: 'access_denied',
  NotAuthorized: 'access_denied',
  OptInRequired: 'access_denied',
  SignatureDoesNotMatch: 'access_denied',
  TokenProviderError: 'access_denied',
  UnrecognizedClientException: 'access_denied',
  LimitExceededException: 'throttled',
  Throttling: 'throttled',
  ThrottlingException: 'throttled',
  TooManyRequestsException: 'throttled',
};

/**
 * The errors whose text says what a person can correct. Others may repeat the signed request, with its
 * session token.
 */
const textsShown: readonly string[] = [
  'NotFoundException',
  'DisabledException',
  'InvalidKeyUsageException',
  'KMSInvalidStateException',
  'UnsupportedOperationException',
  'AccessDeniedException',
  'CredentialsProviderError',
];

/**
 * Converts an error of the AWS SDK to a KeyStoreError. The SDK's own is not attached, because it contains the
 * request.
 */
export function failureOf(error: unknown, keyId: string): unknown {
  if (!(error instanceof Error)) return error;
  // The time limit has passed: the code that keeps the time reports it.
  if (error.name === 'AbortError') return error;
  const { name } = error;
  const status = (error as { readonly $metadata?: { readonly httpStatusCode?: number } }).$metadata
    ?.httpStatusCode;
  const code = codes[name] ?? (status !== undefined && status < 500 ? 'key_unusable' : 'store_unavailable');
  // For hosts that it cannot resolve or reach, the SDK uses codes of the network.
  const network = (error as NodeJS.ErrnoException).code;
  const reason = visibleText(
    typeof network === 'string' && status === undefined ? `${name}, ${network}` : name,
  );
  const text = textsShown.includes(name) ? `: ${visibleText(error.message)}` : '';
  const isRegionMissing = error.message === 'Region is missing';
  if (isRegionMissing)
    return new KeyStoreError('options_invalid', 'AWS KMS needs a region: set region or AWS_REGION.');
  return new KeyStoreError(code, `AWS KMS could not use the key ${keyId} (${reason})${text}`);
}
