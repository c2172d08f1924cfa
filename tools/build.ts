// `npm run build`: builds each published package, or those whose folders are given, into its own dist/ folder. With
// --types-checked, it trusts that the same sources were checked before.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPackages } from './build/build-package.ts';
import { checkPublishedTypes } from './build/compiler.ts';
import { publishedPackages } from './build/published-packages.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const typesChecked = '--types-checked';
const folders = process.argv
  .slice(2)
  .filter((argument) => argument !== typesChecked)
  .map((folder) => folder.replace(/\/$/, ''));

try {
  const unknown = folders.filter((folder) => !publishedPackages.some((each) => each.folder === folder));
  if (unknown.length > 0)
    throw new Error(
      `No published package: ${unknown.join(', ')}. Choose from: ${publishedPackages.map((each) => each.folder).join(', ')}.`,
    );
  if (!process.argv.includes(typesChecked)) await checkPublishedTypes();
  const chosen = publishedPackages.filter(({ folder }) => folders.length === 0 || folders.includes(folder));
  await buildPackages(root, chosen, (published) => join(root, published.folder, 'dist'));
  for (const { folder } of chosen) console.log(`built  ${folder}/dist`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
