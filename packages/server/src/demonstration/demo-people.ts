import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder } from '@countersign/gate/private-folder';
import type { People } from '../people/identity/identity.ts';
import { openLocalRegistry, type RegistryPlace } from '../registry/local-registry.ts';
import { type DemoPeople, demoPeopleFile, readDemoPeople } from './demo-credentials.ts';

/**
 * Returns the demo's people. On the first start, creates them: an owner of the demo client's account and a member of
 * the operator. Their passwords are stored in the data folder.
 */
export async function makeDemoPeople(
  people: People,
  { place, dataFolder, clientId }: { place: RegistryPlace; dataFolder: string; clientId: string },
): Promise<DemoPeople> {
  const kept = readDemoPeople(dataFolder);
  if (kept !== undefined) return kept;
  const accounts = await accountsOf(place, clientId);
  const made: DemoPeople = {
    owner: { email: 'owner@demo.example', password: newPassword() },
    operator: { email: 'operator@demo.example', password: newPassword() },
  };
  await people.addMember({ ...made.owner, name: 'Demo Owner', role: 'owner', accountId: accounts.demo });
  await people.addMember({
    ...made.operator,
    name: 'Demo Operator',
    role: 'operator',
    accountId: accounts.operator,
  });
  const file = demoPeopleFile(dataFolder);
  makePrivateFolder(dirname(file));
  writeFileSync(file, `${JSON.stringify(made, undefined, 2)}\n`, { mode: 0o600 });
  return made;
}

async function accountsOf(
  place: RegistryPlace,
  clientId: string,
): Promise<{ readonly demo: string; readonly operator: string }> {
  const registry = await openLocalRegistry(place);
  try {
    const { accountId } = await registry.showClient(clientId);
    const accounts = await registry.listAccounts();
    const operator =
      accounts.find(({ isOperator }) => isOperator) ??
      (await registry.addAccount({ name: 'Operator', isOperator: true }));
    return { demo: accountId, operator: operator.accountId };
  } finally {
    await registry.close();
  }
}

/** Generates a password that is easy to type and impractical to guess: 16 of these characters have 79 random bits. */
function newPassword(): string {
  const group = (): string =>
    Array.from({ length: 4 }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
  return [group(), group(), group(), group()].join('-');
}

const alphabet = '23456789abcdefghjkmnpqrstuvwxyz';
