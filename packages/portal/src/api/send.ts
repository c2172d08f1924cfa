import { ApiError, readRefusal, stepUpMethodsOf } from './api-error.ts';
import { reportSessionDoubt, requestStepUp } from './session-events.ts';

/** A request to the service that the page came from. */
export interface PortalRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query; never a whole URL, so that nothing can be sent to another place. */
  readonly target: `/${string}`;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends a request with the session, and resolves with an answer of success.
 *
 * When the service wants a fresh proof of who the person is, the dialog for it is opened, and the request is sent once more
 * after it. Rejects with `ApiError` in all other cases; when there is no session any more, the page shows the sign-in.
 */
export async function send(request: PortalRequest): Promise<Response> {
  const response = await sendOnce(request);
  if (response.ok) return response;
  const refusal = await readRefusal(response);
  if (refusal.code === 'session_required') reportSessionDoubt();
  if (refusal.code !== 'step_up_required') throw refusal;
  if (!(await requestStepUp(stepUpMethodsOf(refusal)))) throw cancelled(refusal);
  const second = await sendOnce(request);
  if (second.ok) return second;
  throw await readRefusal(second);
}

/** Reads the JSON of an answer; undefined for one without a body. */
export async function readJson(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const text = await response.text();
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ApiError({
      code: 'answer_unreadable',
      status: response.status,
      title: 'The answer could not be read',
      detail: 'Something between this page and the service changed the answer. Load the page again.',
    });
  }
}

async function sendOnce({ method, target, body, headers, signal }: PortalRequest): Promise<Response> {
  try {
    return await fetch(target, {
      method,
      credentials: 'same-origin',
      redirect: 'error',
      cache: 'no-store',
      headers: {
        Accept: 'application/json',
        ...(method !== 'GET' && { 'Countersign-CSRF': '1' }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError({
      code: 'service_unreachable',
      status: 0,
      title: 'The service cannot be reached',
      detail: 'Check your connection, and try again. Nothing is known to have been changed.',
    });
  }
}

function cancelled(refusal: ApiError): ApiError {
  return new ApiError({
    code: 'cancelled',
    status: refusal.status,
    title: 'Nothing was changed',
    detail: 'You closed the dialog without confirming that it is you.',
  });
}
