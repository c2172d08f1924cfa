// oxlint-disable-next-line no-restricted-imports -- The one place that may.
import { useSearch, useSearchParams } from 'wouter';

/**
 * Returns the query of the address exactly as written, without `?`. wouter's own value is already decoded, so
 * it cannot be parsed reliably.
 */
export function useRawSearch(): string {
  // Renders again when the query changes.
  useSearch();
  return location.search.slice(1);
}

/** Returns the parameters in the address, and a function that changes them. */
export function useParameters(): [URLSearchParams, ReturnType<typeof useSearchParams>[1]] {
  const [, change] = useSearchParams();
  return [new URLSearchParams(useRawSearch()), change];
}
