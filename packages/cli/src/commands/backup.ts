import { type Command, defineCommand } from '../command.ts';
import { backUpRegistry, registryOptions } from '../registry/open-registry.ts';
import { writeJson } from '../terminal/report.ts';

export const backup: Command = defineCommand({
  name: 'backup',
  summary: "Copies the service's database to a file, even while the service is running.",
  arguments: [{ name: 'FILE', help: 'The file to make. One that exists is not overwritten.' }],
  options: registryOptions,
  notes: [
    'The copy is the state of one moment. It has accounts, clients, public keys, roles and payments, and what happened ' +
      'to them; it has no private key, and not which signatures were used: a service that starts on it refuses all ' +
      'earlier signatures.',
    'To restore it: stop the service, remove countersign.sqlite-wal and -shm from its data folder, copy the file over ' +
      'countersign.sqlite, and chown it to the user of the service.',
    'A database in PostgreSQL is backed up with pg_dump.',
  ],
  examples: [{ what: 'the service in this folder', line: 'countersign backup countersign-backup.sqlite' }],
  async execute({ values, positionals: [file = ''] }, io) {
    const bytes = await backUpRegistry(values.data, file, io);
    if (values.json) writeJson(io, { ok: true, file, bytes });
    else io.errors.write(`The backup is in ${file}: ${bytes} bytes, checked.\n`);
    return 'ok';
  },
});
