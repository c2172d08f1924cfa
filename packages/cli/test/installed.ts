import { spawnSync } from 'node:child_process';

/** Why to skip a test that needs these programs; false if all are installed. */
export function missingPrograms(...names: readonly string[]): string | false {
  const missing = names.filter((name) => spawnSync(name, ['version']).error !== undefined);
  return missing.length > 0 && `not installed: ${missing.join(', ')}`;
}
