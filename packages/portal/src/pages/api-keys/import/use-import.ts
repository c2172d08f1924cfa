import type { ClientsImport } from '@countersign/contract';
import { bulkLimits } from '@countersign/contract';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/api.ts';
import { useAccountId } from '../../../api/current-account.ts';
import { columnOfPointer, type ImportRow, type RowMistake } from './import-columns.ts';

/** A row of the file, as checked or imported by the service. */
export interface CheckedRow extends ImportRow {
  readonly isNameTaken: boolean;
  /** Set once it is imported. */
  readonly clientId: string | undefined;
}

interface Import {
  /** Asks the service what would happen, without importing anything. */
  readonly check: (rows: readonly ImportRow[]) => Promise<readonly CheckedRow[]>;
  /** Imports rows without mistakes. Repeating the same rows imports nothing twice. */
  readonly run: (rows: readonly ImportRow[]) => Promise<readonly CheckedRow[]>;
}

export function useImport(): Import {
  const queryClient = useQueryClient();
  const accountId = useAccountId();
  return {
    async check(rows) {
      // Mistakes found in the page are shown together with the service's.
      return inParts(rows, async (part) => {
        const body = { clients: part.map(({ client }) => client), dryRun: true };
        return api.call('importClients', { body });
      });
    },
    async run(rows) {
      try {
        return await inParts(rows, async (part) => {
          const body = { clients: part.map(({ client }) => client) };
          return api.call('importClients', { body, idempotencyKey: await keyOf(body) });
        });
      } finally {
        await queryClient.invalidateQueries({ queryKey: ['account', accountId] });
      }
    },
  };
}

async function inParts(
  rows: readonly ImportRow[],
  send: (part: readonly ImportRow[]) => Promise<ClientsImport>,
): Promise<readonly CheckedRow[]> {
  const checked: CheckedRow[] = [];
  for (let start = 0; start < rows.length; start += bulkLimits.importedMax) {
    const part = rows.slice(start, start + bulkLimits.importedMax);
    const { results } = await send(part);
    checked.push(
      ...part.map((row, index): CheckedRow => {
        const { errors = [], isNameTaken = false, clientId } = results[index] ?? {};
        return { ...row, mistakes: [...row.mistakes, ...errors.map(mistakeOf)], isNameTaken, clientId };
      }),
    );
  }
  return checked;
}

function mistakeOf({ pointer, detail }: ClientsImport['results'][number]['errors'][number]): RowMistake {
  return { column: columnOfPointer(pointer), text: detail };
}

/** The same clients have the same key, even after the page was reloaded. */
async function keyOf(body: unknown): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(body)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
