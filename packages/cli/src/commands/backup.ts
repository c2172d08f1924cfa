import { type Command, defineCommand } from '../command.ts';
import { backUpRegistry, registryOptions } from '../registry/open-registry.ts';
import { writeJson } from '../terminal/report.ts';

export const backup: Command = defineCommand({
  name: 'backup',
  summary: "Copies the service's database to a file, even while the service is running.",
  arguments: [{ name: 'FILE', help: 'The file to create. An existing file is not overwritten.' }],
  options: registryOptions,
  notes: [
    'The copy is a consistent snapshot. It has accounts, clients, public keys, roles and payments, and their ' +
      'history. It has no private keys, and does not record which signatures were used: a service that starts from ' +
      'it rejects all earlier signatures.',
    'To restore it, stop the service, remove countersign.sqlite-wal and -shm from its data folder, copy the file ' +
      'over countersign.sqlite, and chown it to the user that runs the service.',
    'Back up a PostgreSQL database with pg_dump.',
  ],
  examples: [{ what: 'the service in this folder', line: 'countersign backup countersign-backup.sqlite' }],
  async execute({ values, positionals: [file = ''] }, io) {
    const bytes = await backUpRegistry(values.data, file, io);
    if (values.json) writeJson(io, { ok: true, file, bytes });
    else io.errors.write(`The backup is in ${file}: ${bytes} bytes, checked.\n`);
    return 'ok';
  },
});
