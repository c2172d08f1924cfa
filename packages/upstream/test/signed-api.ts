import type { TestContext } from 'node:test';
import {
  openProtectedApi,
  type ProtectedApi,
  type ProtectedApiOptions,
  type Received,
} from '@countersign/testing/protected-api';
import { apiBaseUrl, baseUrl, type RunningService } from '@countersign/testing/running-service';
import {
  createForwardedCheck,
  type ForwardedCheck,
  type ForwardedCheckOptions,
  type ForwardedRequest,
} from '../src/index.ts';

export const directoryPath = '/.well-known/http-message-signatures-directory';

/** An API behind a gateway that signs what it forwards. */
export function openSignedApi(
  t: Pick<TestContext, 'after'>,
  { environment, ...options }: ProtectedApiOptions = {},
): Promise<ProtectedApi> {
  return openProtectedApi(t, {
    ...options,
    environment: { COUNTERSIGN_SIGN_FORWARDED: 'yes', ...environment },
  });
}

/** Creates the check of that API, which reads the directory of the service. */
export function checkFor(
  running: RunningService,
  options: Partial<ForwardedCheckOptions> = {},
): ForwardedCheck {
  return createForwardedCheck({
    directoryUrl: baseUrl + directoryPath,
    audience: [apiBaseUrl],
    fetch: fetchFrom(running),
    ...options,
  });
}

/** Fetches from a service as if it had its public name. */
export function fetchFrom(running: RunningService): typeof fetch {
  return async (url) => {
    const { status, headers, text } = await running.send({ method: 'GET', url: url as string });
    return new Response(text, { status, headers: { 'Content-Type': String(headers['content-type']) } });
  };
}

/** Gives a received request to the check, as a server would. */
export function asRequest({ method, target, rawHeaders, body }: Received): Required<ForwardedRequest> {
  return { method, url: target, rawHeaders, headers: undefined, body: Buffer.from(body, 'latin1') };
}

/** Sets a header; undefined removes it. Every line with that name is replaced by one. */
export function withHeader(
  rawHeaders: readonly string[],
  name: string,
  value: string | undefined,
): readonly string[] {
  const others = rawHeaders.filter((_, index) => {
    const line = rawHeaders[index - (index % 2)]!;
    return line.toLowerCase() !== name.toLowerCase();
  });
  return value === undefined ? others : [...others, name, value];
}
