/** As many as browsers follow. */
export const redirectsMax = 20;

/** The request that a redirect asks for. */
export interface Redirect {
  readonly url: URL;
  readonly method: string;
  /** True if the body is sent again. */
  readonly keepsBody: boolean;
}

/**
 * Returns the redirect that a response asks for (Fetch standard, HTTP-redirect fetch); undefined if there is
 * none or its address is not a URL.
 */
export function redirectOf(
  status: number,
  location: string | null | undefined,
  { url, method }: { readonly url: string; readonly method: string },
): Redirect | undefined {
  if (!redirectStatuses.has(status) || location === null || location === undefined) return undefined;
  const target = URL.parse(location, url);
  if (target === null) return undefined;
  const becomesGet =
    (status === 303 && method !== 'GET' && method !== 'HEAD') ||
    ((status === 301 || status === 302) && method === 'POST');
  return { url: target, method: becomesGet ? 'GET' : method, keepsBody: !becomesGet };
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
