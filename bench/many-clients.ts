import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { keyFingerprint, readPublicKey } from '@countersign/signature/node';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { databaseFileName } from '../packages/server/src/registry/local-registry.ts';
import { openDatabase } from '../packages/server/src/storage/database.ts';

export function numberedClientId(number: number): string {
  return `client_${String(number).padStart(26, '0')}`;
}

/**
 * Fills the registry of a data folder: each client has an account, a key, two networks and a role. All share one public key, in
 * accounts of their own, because generating a million keys takes days.
 */
export async function fillRegistry(dataFolder: string, clients: number): Promise<void> {
  const file = join(dataFolder, databaseFileName);
  // With the current schema.
  await (await openDatabase({ file })).destroy();
  const { publicKey } = makeKeyPair();
  const reading = readPublicKey(publicKey);
  if (!reading.ok) throw new Error(reading.message);
  const { spkiPem, bits: modulusBits } = reading.key;
  const parameters = { spkiPem, modulusBits, fingerprint: keyFingerprint(reading.key), clients };
  const database = new DatabaseSync(file);
  database.exec('pragma synchronous = off; begin');
  database.exec('create temporary table inputs (name text primary key, value)');
  const insert = database.prepare('insert into inputs values (?, ?)');
  for (const [name, value] of Object.entries(parameters)) insert.run(name, value);
  database.exec(fill);
  database.exec('commit; analyze; pragma wal_checkpoint(truncate)');
  database.close();
}

const input = (name: string): string => `(select value from inputs where name = '${name}')`;
const numbers = `with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n + 1 < ${input('clients')})`;
const clientId = `printf('client_%026d', n)`;
const accountId = `printf('account_%026d', n)`;
const atMs = 1_790_000_000_000;

const fill = `
${numbers} insert into accounts (account_id, name, created_at_ms, updated_at_ms)
  select ${accountId}, 'Account ' || n, ${atMs}, ${atMs} from numbers;
${numbers} insert into clients (client_id, account_id, name, search_name, status, accept_without_date, created_at_ms,
    updated_at_ms, version)
  select ${clientId}, ${accountId}, 'Client ' || n, 'client ' || n, 'active', 0, ${atMs}, ${atMs}, 0 from numbers;
${numbers} insert into client_keys (key_id, client_id, account_id, spki_pem, fingerprint, modulus_bits, status,
    created_at_ms)
  select printf('key_%026d', n), ${clientId}, ${accountId}, ${input('spkiPem')}, ${input('fingerprint')},
    ${input('modulusBits')}, 'active', ${atMs} from numbers;
${numbers} insert into network_entries (client_id, entry, label, created_at_ms)
  select ${clientId}, printf('10.%d.%d.%d', n / 65536 % 256, n / 256 % 256, n % 256), '', ${atMs} from numbers;
${numbers} insert into network_entries (client_id, entry, label, created_at_ms)
  select ${clientId}, '203.0.113.0/24', '', ${atMs} from numbers;
${numbers} insert into client_roles (client_id, role_id) select ${clientId}, 'payments-operator' from numbers;
`;
