import { useSearch } from 'wouter';

/** Returns the query of the address as it is written, without `?`. What wouter returns is decoded, and cannot be read once more. */
export function useRawSearch(): string {
  // Renders again when the query changes.
  useSearch();
  return location.search.slice(1);
}
