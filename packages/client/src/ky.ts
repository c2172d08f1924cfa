/**
 * Signs the requests of ky, in every runtime.
 *
 * @module
 */
import { SigningError } from '@countersign/signature';
import { buildSigningFetch, type SigningFetch, type SigningFetchOptions } from './fetch/signing-fetch.ts';
import { isThrown, refusalFromValue } from './refusals/read-refusal.ts';
import type { RefusedError } from './refusals/refused-error.ts';
import { Call, carried, type CarriedCall } from './signing/call.ts';
import type { RequestSigner } from './signing/request-signer.ts';

/** Options for `ky.create` and `ky.extend`. */
export interface SigningKyOptions {
  readonly fetch: SigningFetch;
  readonly hooks: {
    readonly init: ((options: object) => void)[];
    readonly beforeError: ((state: { readonly error: Error }) => Error)[];
  };
}

/** The options that ky passes to its `fetch`: those of a call that ky itself does not know. */
interface CallOptions {
  countersignCall?: CarriedCall;
}

/**
 * Returns options for ky. Each retry of ky is signed anew, except those that fail with a
 * `RepeatNotSignedError`; a rejection that is not retried becomes a `RefusedError`. Add your own hooks with
 * `extend`, which keeps these.
 *
 * @example
 * const api = ky.create({ prefix: 'https://api.example.com', ...signingKy(signer) });
 */
export function signingKy(signer: RequestSigner, options?: SigningFetchOptions): SigningKyOptions {
  const callOf = ({ countersignCall }: CallOptions): Call => {
    if (countersignCall) return countersignCall();
    throw new SigningError(
      'request_invalid',
      'The hooks of signingKy were replaced, so retries cannot be told from new requests. Add your own with extend({ hooks }).',
    );
  };
  // Rejections reach ky as responses, so that it retries by its own rules.
  const fetch = buildSigningFetch({ ...signer, throwsRefusals: false }, options, callOf as () => Call);
  return {
    fetch,
    hooks: {
      init: [
        (callOptions: CallOptions) => {
          // Hooks see these options too, and may send the request again with them.
          callOptions.countersignCall ??= carried(new Call(signer));
        },
      ],
      beforeError: [({ error }) => asRefusal(error, signer) ?? error],
    },
  };
}

/** An error that ky creates for a response, with the JSON that it read. */
interface HttpError extends Error {
  readonly response?: Response;
  readonly data?: unknown;
}

function asRefusal({ response, data }: HttpError, signer: RequestSigner): RefusedError | undefined {
  if (!response) return undefined;
  const contentType = response.headers.get('Content-Type');
  const retryAfter = response.headers.get('Retry-After');
  const head = { status: response.status, contentType, retryAfter };
  const refusal = refusalFromValue(head, data, signer.problemTypeBase);
  return refusal && isThrown(refusal, signer.throwsRefusals) ? refusal : undefined;
}
