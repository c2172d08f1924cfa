// `npm run build`: builds each published package into its own dist/ folder.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPackage } from './build/build-package.ts';
import { checkPublishedTypes } from './build/compiler.ts';
import { publishedPackages } from './build/published-packages.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

try {
  await checkPublishedTypes();
  for (const published of publishedPackages) {
    await buildPackage(root, published, join(root, published.folder, 'dist'));
    console.log(`built  ${published.folder}/dist`);
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
