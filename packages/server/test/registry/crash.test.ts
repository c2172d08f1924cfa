import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { openLocalRegistry, type RegistryPlace } from '@countersign/server/local-registry';
import { backends } from '@countersign/testing/backends';

/** Adds clients as fast as it can, and writes the id of each one that is acknowledged. */
const program = (place: RegistryPlace): string => `
  import { writeSync } from 'node:fs';
  import { openLocalRegistry } from ${JSON.stringify(new URL('../../src/registry/local-registry.ts', import.meta.url))};
  const registry = await openLocalRegistry({ ...${JSON.stringify(place)}, createIfMissing: true });
  for (;;) {
    const { clientId } = await registry.addClient({ name: 'Shop', network: ['0.0.0.0'], roles: ['payments-reader'] });
    writeSync(1, clientId + '\\n');
  }`;

for (const { name: backend, skip, makeEmpty } of backends) {
  describe(`on ${backend}`, { skip }, () => {
    describe('a process that is killed while it writes', () => {
      test('loses nothing that it acknowledged, and leaves no half of a client', async (t) => {
        const { place } = await makeEmpty(t);
        const acknowledged: string[] = [];
        for (let round = 0; round < 3; round += 1) {
          const command = ['--input-type=module', '-e', program(place)];
          const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
          const closed = once(child, 'close');
          let output = '';
          child.stdout.on('data', (chunk: Buffer) => {
            output += chunk.toString();
            if (output.length > 1500 * (round + 1)) child.kill('SIGKILL');
          });
          await closed;
          assert.equal(child.signalCode, 'SIGKILL');
          acknowledged.push(...output.split('\n').filter((line) => line.length === 'client_'.length + 26));
        }
        const registry = await openLocalRegistry(place);
        t.after(() => registry.close());
        const clients = await registry.listClients({ limit: 100_000 });
        const known = new Set(clients.map((client) => client.clientId));
        assert.ok(acknowledged.length > 100);
        for (const clientId of acknowledged) assert.ok(known.has(clientId), clientId);
        for (const { network, roles } of clients) assert.deepEqual([network.length, roles.length], [1, 1]);
      });
    });
  });
}
