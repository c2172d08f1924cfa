import { parseArgs } from 'node:util';
import { cases } from './cases.ts';
import { type Language, languages } from './languages.ts';
import { poll } from './polls.ts';
import { runLanguage } from './run.ts';
import { openScene, type Scene } from './scene.ts';
import { cellText, countsText, tableText } from './table-text.ts';

const usage = `Usage: npm run test:table -- [LANGUAGE…] [--case <text>] [--verbose]
       npm run test:table -- --minutes <n> [LANGUAGE…]

  --case      only the cases whose name contains this text; may be repeated
  --verbose   prints each cell as soon as it is known
  --minutes   instead of the table: the same GET twice a second through every client, all at once, to one service
  --help      prints this

Sends each case through every HTTP client of each language to running services, and prints a table: right, the code of
an error that the signer's page or docs/errors.md names, or WRONG. Exit code 1 if a cell is wrong, 2 if an option is.

Examples:
  npm run test:table                             all languages
  npm run test:table -- go rust                  these two
  npm run test:table -- php --case dropped       one language, and the cases of dropped connections
  npm run test:table -- --minutes 5              five minutes of equal reads

Languages: ${languages.map(({ name }) => name).join(', ')}.`;

const options = readOptions();
const chosen = options.languages.filter(({ name, missing }) => {
  if (missing !== false) console.log(`${name}: skipped, ${missing}`);
  return missing === false;
});
const scene = await openScene();
try {
  await (options.minutes === undefined ? printTables(scene) : printPolls(scene, options.minutes));
} finally {
  await scene.close();
}

async function printTables(at: Scene): Promise<void> {
  const counts: string[] = [];
  for (const language of chosen) {
    console.error(`${language.name} …`);
    const table = await runLanguage(language, at, options.cases, (client, name, cell) => {
      if (cell.kind === 'wrong') process.exitCode = 1;
      if (options.isVerbose || cell.kind === 'wrong')
        console.error(`  ${client}, ${name}: ${cellText(cell)}`);
    });
    console.log(`\n${tableText(table)}\n`);
    counts.push(countsText(table));
  }
  for (const line of counts) console.log(line);
}

async function printPolls(at: Scene, minutes: number): Promise<void> {
  console.error(
    `${chosen.map(({ name }) => name).join(', ')}: the same GET twice a second for ${minutes} min`,
  );
  const results = await poll(chosen, at, minutes, (sent, accepted) =>
    console.error(`  ${sent} sent, ${accepted} accepted so far`),
  );
  for (const { language, client, sent, accepted, failures } of results) {
    console.log(`${language}, ${client}: ${accepted} of ${sent} accepted`);
    for (const failure of failures) console.log(`  ${failure}`);
    if (accepted < sent) process.exitCode = 1;
  }
}

function readOptions(): {
  languages: readonly Language[];
  cases: typeof cases;
  minutes: number | undefined;
  isVerbose: boolean;
} {
  try {
    const { values, positionals } = parseArgs({
      options: {
        case: { type: 'string', multiple: true, default: [''] },
        minutes: { type: 'string' },
        verbose: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
      allowPositionals: true,
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    const unknown = positionals.filter((name) => !languages.some((one) => one.name === name));
    if (unknown.length > 0) throw new Error(`There is no signer for ${unknown.join(', ')}.`);
    const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
    if (minutes !== undefined && !(minutes > 0)) throw new Error('--minutes must be a number above 0.');
    const named = cases.filter(({ name }) => values.case.some((text) => name.includes(text)));
    if (named.length === 0) throw new Error('No case has that name.');
    return {
      languages: languages.filter(({ name }) => positionals.length === 0 || positionals.includes(name)),
      cases: named,
      minutes,
      isVerbose: values.verbose,
    };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}
