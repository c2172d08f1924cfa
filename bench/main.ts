import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { benchLibrary } from './library.ts';
import type { PairResult } from './paired.ts';
import { benchService, type ServiceResult } from './service.ts';

const usage = `Usage: npm run bench -- [--quick] [--write]

  --quick   fewer rounds, for a first look
  --write   put the tables into docs/benchmarks.md`;

const document = new URL('../docs/benchmarks.md', import.meta.url);

let options: { quick?: boolean; write?: boolean };
try {
  options = parseArgs({ options: { quick: { type: 'boolean' }, write: { type: 'boolean' } } }).values;
} catch {
  console.error(usage);
  process.exit(2);
}

const rounds = options.quick ? 51 : 201;
console.error('Verifying and signing, in one process …');
const library = await benchLibrary(rounds);
console.error(
  'The whole service, two processes in turn (requests are signed first, which takes most of the time) …',
);
const service = [
  await benchService('nothing', options.quick ? 5 : 15, 1500),
  await benchService('payments', options.quick ? 5 : 15, 1500),
];
const report = [machine(), libraryTable(library), serviceTable(service)].join('\n\n');
console.log(report);
if (options.write) {
  const text = readFileSync(document, 'utf8');
  const marked = /(<!-- tables begin -->\n)[\s\S]*(<!-- tables end -->)/;
  if (!marked.test(text)) throw new Error('docs/benchmarks.md has lost the marks of its tables.');
  writeFileSync(
    document,
    text.replace(marked, (_, begin: string, end: string) => `${begin}\n${report}\n\n${end}`),
  );
}

function machine(): string {
  const [cpu] = cpus();
  const date = new Date().toISOString().slice(0, 10);
  return `Measured on ${date}: Node ${process.versions.node}, ${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}).`;
}

function libraryTable(results: readonly PairResult[]): string {
  const rows = results.map(({ name, subjectMicroseconds, referenceMicroseconds, ratio, quartiles }) =>
    row([
      name,
      subjectMicroseconds.toFixed(1),
      referenceMicroseconds.toFixed(1),
      ratio.toFixed(3),
      range(quartiles, 3),
    ]),
  );
  return [
    row(['Comparison', 'subject µs', 'reference µs', 'median ratio', 'middle half']),
    row(['---', '---:', '---:', '---:', '---:']),
    ...rows,
  ].join('\n');
}

function serviceTable(results: readonly ServiceResult[]): string {
  const rows = results.map((one) =>
    row([
      one.upstream === 'nothing' ? 'no work behind the checks' : 'sandbox payments in SQLite',
      one.checkedPerSecond.toFixed(0),
      one.cryptoPerSecond.toFixed(0),
      one.uncheckedPerSecond.toFixed(0),
      `${(one.share * 100).toFixed(1)} %`,
      range(one.quartiles.map((value) => value * 100) as [number, number], 1),
    ]),
  );
  return [
    row(['Signed POST', 'requests/s', 'bare crypto only', 'neither', 'reached', 'middle half']),
    row(['---', '---:', '---:', '---:', '---:', '---:']),
    ...rows,
  ].join('\n');
}

function range([low, high]: readonly [number, number], digits: number): string {
  return `${low.toFixed(digits)} to ${high.toFixed(digits)}`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
