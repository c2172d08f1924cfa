import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Lists the modules that a program loads, in its main thread. */
export interface LoadedModules {
  /** The variables to start the program with. */
  readonly environment: Readonly<Record<string, string>>;
  /** Returns the URLs of the modules loaded so far, those of Node included, each once. */
  readonly list: () => readonly string[];
}

/** @param folder where the list is written */
export function listLoadedModules(folder: string): LoadedModules {
  const file = join(folder, 'loaded-modules');
  const preload = new URL('./list-modules.mjs', import.meta.url).href;
  return {
    environment: { NODE_OPTIONS: `--import ${preload}`, LOADED_MODULES: file },
    list: () => (existsSync(file) ? [...new Set(readFileSync(file, 'utf8').trimEnd().split('\n'))] : []),
  };
}
