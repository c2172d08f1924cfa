import { spawnSync } from 'node:child_process';

/** Why a test is skipped that needs these programs; false when all are installed. */
export function missingPrograms(...names: readonly string[]): string | false {
  const missing = names.filter((name) => spawnSync(name, ['version']).error !== undefined);
  return missing.length > 0 && `not installed: ${missing.join(', ')}`;
}
