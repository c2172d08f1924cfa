import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFileName } from '@countersign/server/local-registry';
import { type Backend, type Context, opened, opener, type TestDatabase } from './backend.ts';
import { temporaryFolder } from '../files/temporary-folder.ts';

export const sqlite: Backend = {
  name: 'SQLite',
  skip: false,
  makeEmpty: makeFile,
  settings: async () => ({}),
  make: (context) => opened(makeFile(context)),
};

async function makeFile(context: Context): Promise<TestDatabase> {
  const dataFolder = temporaryFolder(context);
  const file = join(dataFolder, databaseFileName);
  return {
    place: { dataFolder },
    open: opener(context, { file }, () => rmSync(dataFolder, { recursive: true, force: true })),
  };
}
