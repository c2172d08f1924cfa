import {
  type Backend,
  type Context,
  opened,
  opener,
  patientStatementTimeoutMs,
  type TestDatabase,
} from './backend.ts';
import { makePostgresDatabase } from './postgres.ts';
import { postgresSkip } from './postgres-server.ts';

export const postgres: Backend = {
  name: 'PostgreSQL',
  skip: postgresSkip,
  makeEmpty: (context) => makeOnServer(context, 'empty'),
  settings: async (context) => {
    const { url, remove } = await makePostgresDatabase('migrated');
    context.after(remove);
    return {
      COUNTERSIGN_DATABASE_URL: url,
      COUNTERSIGN_DATABASE_STATEMENT_TIMEOUT_MS: String(patientStatementTimeoutMs),
    };
  },
  make: (context) => opened(makeOnServer(context, 'migrated')),
};

async function makeOnServer(context: Context, kind: 'empty' | 'migrated'): Promise<TestDatabase> {
  const { url, remove } = await makePostgresDatabase(kind);
  return { place: { databaseUrl: url }, open: opener(context, { url }, remove) };
}
