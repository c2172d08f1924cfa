import type { CrossOrigin } from '@countersign/gate';
import type { Settings } from './settings.ts';

/** Returns which pages may call the protected API; undefined if none may. */
export function crossOriginOf({
  corsOrigins,
  corsPreflights,
}: Pick<Settings, 'corsOrigins' | 'corsPreflights'>): CrossOrigin | undefined {
  return corsOrigins.length === 0 ? undefined : { origins: new Set(corsOrigins), preflights: corsPreflights };
}
