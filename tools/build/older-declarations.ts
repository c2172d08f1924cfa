import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes built declarations readable for TypeScript before 5.7, where `Uint8Array` takes no type argument. `Uint8Array.of`
 * returns `Uint8Array<ArrayBuffer>` since then and `Uint8Array` before, so newer compilers lose nothing.
 */
export function writeForOlderCompilers(folder: string): void {
  for (const file of globSync('**/*.d.ts', { cwd: folder })) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    const readable = text.replaceAll('Uint8Array<ArrayBuffer>', 'ReturnType<Uint8ArrayConstructor["of"]>');
    if (readable !== text) writeFileSync(path, readable);
  }
}
