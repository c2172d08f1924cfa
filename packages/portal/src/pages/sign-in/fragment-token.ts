/** Reads `#token=…`; undefined when there is none, or one that cannot be a token. */
export function readFragmentToken(fragment: string): string | undefined {
  const token = new URLSearchParams(fragment.replace(/^#/, '')).get('token');
  return token !== null && /^[\w.-]{16,512}$/.test(token) ? token : undefined;
}
