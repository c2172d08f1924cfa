import { usageError } from '../exits.ts';
import type { ProxyTarget } from './local-request.ts';

/** Reads the base URL of the API. Throws a usage error. */
export function readTarget(text: string | undefined): ProxyTarget {
  if (text === undefined)
    throw usageError('The target is missing: pass --target URL, or set baseUrl in the credentials file.');
  const url = URL.parse(text);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!url || !isHttp || url.username !== '' || url.password !== '' || /[?#]/.test(text))
    throw usageError(
      '--target must be an http or https URL without user, query and fragment, like https://api.example.com.',
    );
  return { origin: url.origin, host: url.host, basePath: url.pathname.replace(/\/+$/, '') };
}
