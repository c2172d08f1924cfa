import type { ClientRequest, ClientsImport } from '@countersign/contract';
import type { OfferedKeyPolicy, OfferedPublicKey } from '@countersign/signature/keys';
import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { RegistryError } from '../../registry/registry-error.ts';
import { writtenDirectory } from '../../registry/store/client-directories.ts';
import { checkProfile } from '../../registry/store/client-profile.ts';
import { importClients, type ImportResult, takenNames } from '../../registry/store/client-imports.ts';
import { dryRun } from '../dry-run.ts';
import { defineHandlers } from '../handlers.ts';
import { readKeyInTurns } from '../key-turns.ts';
import { problemOfRegistryError } from '../registry-problem.ts';
import { loadSchemas } from '../schemas.ts';
import { timeMsIfAny } from '../timestamp.ts';
import { bodyFaults } from '../../request-bodies/request-body.ts';
import type { BodyFault } from '../../request-bodies/strict-json.ts';

export const clientImportHandlers = defineHandlers(
  ({ change, keyPolicy, profiles, directoryOrigins = new Set() }) => ({
    importClients: async ({ body }, request) => {
      const { accountId } = request.caller;
      const isDryRun = body.dryRun === true;
      // Before the transaction, because examining keys and long whitelists takes time.
      const profileNames = profiles.map(({ name }) => name);
      const rows: ImportRow[] = [];
      for (const row of body.clients) {
        rows.push(await readRow(row, { keyPolicy, profileNames }));
        await nextLoopTurn('rows');
      }
      const readable = rows.flatMap((row) => ('client' in row ? [row] : []));
      const newClients = readable.map((row) => newClientOf(row, directoryOrigins));
      return dryRun(isDryRun, (end) =>
        change(request, async (transaction, context) => {
          const taken = await takenNames(
            transaction,
            accountId,
            readable.map(({ client }) => client.name),
          );
          const added = await importClients(transaction, accountId, newClients, context);
          const byRow = new Map(readable.map((row, index) => [row as ImportRow, added[index]!]));
          const seen = new Set(taken);
          const results = rows.map((row) => resultOf(row, byRow.get(row), seen, isDryRun));
          const failed = results.filter(({ outcome }) => outcome === 'failed').length;
          return end({ status: 200, body: { isDryRun, added: results.length - failed, failed, results } });
        }),
      );
    },
  }),
);

interface ReadableRow {
  readonly client: ClientRequest;
  readonly publicKey: OfferedPublicKey | undefined;
}

/** A client to add, or its errors. */
type ImportRow = ReadableRow | { readonly errors: readonly BodyFault[] };

interface RowRules {
  readonly keyPolicy: OfferedKeyPolicy;
  readonly profileNames: readonly string[];
}

async function readRow(
  row: Readonly<Record<string, unknown>>,
  { keyPolicy, profileNames }: RowRules,
): Promise<ImportRow> {
  const { clientId: _given, accountId: _chosen, ...members } = row;
  const foreign = ['clientId', 'accountId'].filter((name) => Object.hasOwn(row, name));
  const { publicKey: text } = row;
  const reading = typeof text === 'string' ? await readKeyInTurns(text, keyPolicy) : undefined;
  const { schemas } = await loadSchemas();
  const result = bodyFaults(members, schemas.ClientRequest);
  const errors = [
    ...foreign.map((name) => ({ pointer: `/${name}`, detail: 'Omit this member.' })),
    ...(result.ok ? [] : result.faults),
    ...(reading?.ok === false ? [{ pointer: '/publicKey', detail: reading.message }] : []),
  ];
  if (errors.length > 0 || !result.ok) return { errors };
  try {
    checkProfile(result.value, profileNames);
    return { client: result.value, publicKey: reading?.ok === true ? reading.key : undefined };
  } catch (error) {
    if (error instanceof RegistryError) return { errors: faultsOf(error) };
    throw error;
  }
}

function newClientOf(
  { client, publicKey }: ReadableRow,
  directoryOrigins: ReadonlySet<string>,
): Parameters<typeof importClients>[2][number] {
  const { networkWhitelist: network, roles = [], clientId: _none, accountId: _own, ...others } = client;
  const { directoryUrl, expiresAt, keyEndsAt, ...rest } = others;
  const directory = writtenDirectory(directoryUrl, directoryOrigins);
  const times = { expiresAtMs: timeMsIfAny(expiresAt), keyEndsAtMs: timeMsIfAny(keyEndsAt) };
  return { ...rest, ...times, publicKey, directory, network, roles };
}

/** @param seen the names that are taken; this one is added */
function resultOf(
  row: ImportRow,
  result: ImportResult | undefined,
  seen: Set<string>,
  isDryRun: boolean,
): ClientsImport['results'][number] {
  const name = 'client' in row ? row.client.name : undefined;
  const isNameTaken = name !== undefined && seen.has(name);
  if (name !== undefined) seen.add(name);
  if (result === undefined || 'errors' in row)
    return { outcome: 'failed', isNameTaken, errors: 'errors' in row ? row.errors : [] };
  if (result instanceof RegistryError) return { outcome: 'failed', isNameTaken, errors: faultsOf(result) };
  return { outcome: 'added', isNameTaken, errors: [], ...(!isDryRun && { clientId: result.clientId }) };
}

function faultsOf(error: RegistryError): readonly BodyFault[] {
  const problem = problemOfRegistryError(error);
  // An error that no operation can cause is a bug.
  if (problem === undefined) throw error;
  const errors = problem.members?.['errors'] as readonly BodyFault[] | undefined;
  if (errors !== undefined) return errors;
  const pointer = pointers[problem.code] ?? '';
  return [{ pointer, detail: error.message }];
}

/** The members that errors without a pointer refer to. */
const pointers: Readonly<Record<string, string>> = {
  key_registered: '/publicKey',
  permission_not_held: '/roles',
};
