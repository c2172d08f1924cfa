import { resolve } from 'node:path';
import { type Command, defineCommand } from '../command.ts';
import { usageError } from '../exits.ts';
import { moveRegistry, type MoveProgress, registryOptions } from '../registry/open-registry.ts';
import type { Io } from '../terminal/io.ts';
import { writeJson } from '../terminal/report.ts';

export const move: Command = defineCommand({
  name: 'move',
  summary: 'Moves all data of a stopped service to PostgreSQL, or back to a data folder.',
  arguments: [],
  options: {
    to: {
      type: 'string',
      placeholder: 'PLACE',
      help: 'Where to: postgresql://user:password@host:5432/database, or a data folder. It must be new.',
    },
    ...registryOptions,
  },
  notes: [
    'All IDs stay the same. At the end, every row is compared. If the command is interrupted, run it again to ' +
      'continue; until it completes, no service starts at the new location. The old location keeps everything.',
    'The record of used signatures does not move. On its first start at the new location, the service rejects ' +
      'all earlier signatures with recently_restarted, and new ones too for about two minutes.',
    'Other users of this machine can see a password on the command line: leave it out of the URL and set PGPASSWORD.',
  ],
  examples: [
    {
      what: 'the service in ./data to PostgreSQL',
      line: 'countersign move --to postgresql://countersign@db.example.com/countersign',
    },
    {
      what: 'and back, from the database of COUNTERSIGN_DATABASE_URL',
      line: 'countersign move --to ./data-again',
    },
  ],
  async execute({ values: { data, to, json } }, io) {
    if (to === undefined) throw usageError('--to is missing: pass a PostgreSQL URL or a data folder.');
    const onProgress = json ? (): void => undefined : progressLines(io);
    const tables = await moveRegistry(data, to, onProgress, io);
    if (json) {
      writeJson(io, { ok: true, tables });
      return 'ok';
    }
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    const next = isUrl(to)
      ? 'Set COUNTERSIGN_DATABASE_URL to the new place, and start the service.'
      : `Unset COUNTERSIGN_DATABASE_URL, and start the service on ${resolve(io.folder, to)}.`;
    io.errors.write(
      `Moved ${count(rows)} rows of ${tables.length} tables, and compared all of them.\n${next}\n` +
        'Earlier signatures are rejected with recently_restarted, and so are new ones for about two minutes.\n',
    );
    return 'ok';
  },
});

/** Writes a line when a table is done, and every two seconds before that. */
function progressLines(io: Io): (progress: MoveProgress) => void {
  let lastMs = io.nowMs();
  return ({ table, step, rows, totalRows }) => {
    if (rows < totalRows && io.nowMs() - lastMs < 2000) return;
    lastMs = io.nowMs();
    io.errors.write(`${step.padEnd(8)}  ${table.padEnd(24)}  ${count(rows)} of ${count(totalRows)}\n`);
  };
}

function isUrl(place: string): boolean {
  return /^postgres(?:ql)?:/.test(place);
}

function count(value: number): string {
  return value.toLocaleString('en');
}
