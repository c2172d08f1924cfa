import { ApiError, type SendRequest } from '@countersign/contract';
import { localProblems } from '#messages/problem-advice.ts';
import { isApiError, stepUpMethodsOf } from './api-error.ts';
import { reportSessionDoubt, requestStepUp } from './session-events.ts';

/** Sends a request with the session. Rejects with `service_unreachable` if there is no response. */
export const sendWithSession: SendRequest = async ({ method, target, headers, body, signal }) => {
  try {
    return await fetch(target, {
      method,
      credentials: 'same-origin',
      redirect: 'error',
      cache: 'no-store',
      headers: {
        Accept: 'application/json',
        ...(method !== 'GET' && { 'Countersign-CSRF': '1' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError({ code: 'service_unreachable', status: 0, ...localProblems.serviceUnreachable });
  }
};

/**
 * Makes a call, and repeats it once if the service wants a fresh proof of identity and the person gives it.
 * Rejects with `cancelled` if they do not. A call that finds the session gone, or its address
 * no longer allowed, makes the page check for it.
 */
export async function withStepUp<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (isApiError(error, 'session_required') || isApiError(error, 'portal_network_not_allowed'))
      reportSessionDoubt();
    if (!isApiError(error, 'step_up_required')) throw error;
    if (await requestStepUp(stepUpMethodsOf(error))) return call();
    throw new ApiError({ code: 'cancelled', status: error.status, ...localProblems.cancelled });
  }
}
