import type { Case, Client } from './case.ts';
import { type Cell, isNamed, wrong } from './cell.ts';
import type { Language } from './languages.ts';
import { limitOf } from './limits.ts';
import type { Program } from './program.ts';
import type { Scene } from './scene.ts';

/** The part of the table for one language. */
export interface LanguageTable {
  readonly language: string;
  readonly clients: readonly string[];
  readonly rows: readonly Row[];
}

export interface Row {
  readonly name: string;
  /** By client. */
  readonly cells: readonly Cell[];
}

/** Enough for the 50 reads of `equal.ts` to be in progress together. */
const manyWorkers = 50;

/**
 * Runs cases in every HTTP client of a language.
 *
 * @param tell called after each cell
 */
export async function runLanguage(
  language: Language,
  scene: Scene,
  cases: readonly Case[],
  tell: (client: string, name: string, cell: Cell) => void = () => undefined,
): Promise<LanguageTable> {
  const has = (kind: Case['program']): boolean => cases.some(({ program }) => program === kind);
  const [one, many] = [
    await language.open(scene, 1),
    has('many') && (await language.open(scene, manyWorkers)),
  ];
  try {
    const columns: Cell[][] = [];
    for (const client of one.clients) {
      const alone = has('alone') && (await language.open(scene, 1));
      const column: Cell[] = [];
      for (const each of cases) {
        const program = { one, many, alone }[each.program] as Program;
        const cell = await runCell(language, each, clientOf(language.name, scene, client, program));
        tell(client, each.name, cell);
        column.push(cell);
      }
      columns.push(column);
      if (alone) await alone.close();
    }
    const rows = cases.map(({ name }, index) => ({ name, cells: columns.map((column) => column[index]!) }));
    return { language: language.name, clients: one.clients, rows };
  } finally {
    await one.close();
    if (many) await many.close();
  }
}

async function runCell(language: Language, one: Case, client: Client): Promise<Cell> {
  const reason = limitOf(language.name, client.name, one.name);
  if (reason !== undefined) return { kind: 'impossible', reason };
  try {
    const cell = await one.run(client);
    if (cell.kind !== 'code' || isNamed(cell.code, language.readme)) return cell;
    return wrong(`neither the signer's page nor docs/errors.md names ${cell.code}`);
  } catch (error) {
    return wrong(String(error));
  }
}

function clientOf(language: string, scene: Scene, name: string, program: Program): Client {
  const send: Client['send'] = (request) => program.send({ ...request, client: name });
  return {
    language,
    name,
    scene,
    send,
    async sendAndSee(request) {
      const before = scene.api.arrivals.length;
      const answer = await send(request);
      return { answer, arrivals: scene.api.arrivals.slice(before) };
    },
  };
}
