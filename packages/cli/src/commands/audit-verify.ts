import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { OptionTable } from '../arguments/options.ts';
import { AuditCopy, type AuditCopyProblem } from '../auditing/audit-copy.ts';
import { readLines } from '../auditing/read-lines.ts';
import { type Command, defineCommand, type Invocation } from '../command.ts';
import { type ExitName, usageError } from '../exits.ts';
import { fileError } from '../files.ts';
import type { Io } from '../terminal/io.ts';
import { writeJson } from '../terminal/report.ts';

const options = {
  from: {
    type: 'string',
    placeholder: 'HASH',
    help: 'The hash that the first record must follow: the head of an earlier copy.',
  },
  head: {
    type: 'string',
    placeholder: 'HASH',
    help: 'The hash that the last record must have.',
  },
} as const satisfies OptionTable;

export const auditVerify: Command = defineCommand({
  name: 'audit verify',
  summary: 'Checks a received copy of the audit log: that no record is missing, changed or out of order.',
  arguments: [{ name: 'FILE', help: 'The copy as NDJSON, as streams send it; - for standard input.' }],
  options,
  notes: [
    'Records may occur more than once, and lines of requests in between are skipped. A copy can begin at any position: then only ' +
      'what follows is checked, unless you pass --from. Nothing but the head shows that records are missing at the end: ' +
      'compare it with one that you got in another way, or pass --head.',
  ],
  examples: [
    { what: 'a whole copy', line: 'countersign audit verify audit.ndjson' },
    {
      what: 'the file of today, after the one of yesterday',
      line: 'countersign audit verify today.ndjson --from 9f2c…',
    },
  ],
  execute,
});

async function execute(
  { values, positionals: [path = ''] }: Invocation<typeof options>,
  io: Io,
): Promise<ExitName> {
  const copy = new AuditCopy(hashOf(values.from, '--from'));
  const head = hashOf(values.head, '--head');
  try {
    const bytes = path === '-' ? io.input : createReadStream(resolve(io.folder, path));
    for await (const line of readLines(bytes)) copy.add(line);
  } catch (error) {
    throw fileError(error, path, 'copy of the audit log');
  }
  const result = copy.finish(head);
  if (values.json) writeJson(io, { ok: result.problem === undefined, ...result });
  else if (result.problem === undefined) io.output.write(successText(result));
  else io.output.write(`${problemText(result.problem)}\n`);
  return result.problem === undefined ? 'ok' : 'refused';
}

function hashOf(text: string | undefined, option: string): string | undefined {
  if (text !== undefined && !/^[0-9a-f]{64}$/.test(text))
    throw usageError(`${option} must be a hash: 64 characters of 0 to 9 and a to f.`);
  return text;
}

type Result = ReturnType<AuditCopy['finish']>;

function successText({ first, last, head, records, duplicates, removed }: Result): string {
  if (records === 0) return 'OK: no record of the audit log was added.\n';
  const lines = [
    `OK: ${records} records, positions ${first} to ${last}.`,
    `Head: ${head}`,
    ...(first === 1 ? [] : [`Not checked: what was before position ${first}.`]),
    ...(duplicates === 0 ? [] : [`${duplicates} records occur more than once.`]),
    ...(removed === 0
      ? []
      : [`${removed} records are proved to have existed, but the service had removed their content.`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function problemText(problem: AuditCopyProblem): string {
  const { kind, position, line } = problem;
  const place = line === undefined ? '' : ` (line ${line})`;
  switch (kind) {
    case 'missing':
      return `Position ${position} is missing${place}.`;
    case 'changed':
      return `Position ${position} was changed${place}: its hash does not match.`;
    case 'out_of_order':
      return `Position ${position} is out of order: it comes later${place}.`;
    case 'differs':
      return `Position ${position} occurs twice, with different content${place}.`;
    case 'unreadable':
      return `Line ${line} is not a line of a stream.`;
    case 'empty':
      return 'There is no record of the audit log. Does the receiver write anything, and is this its file?';
    case 'wrong_start':
      return `Position ${position} does not follow the hash of --from${place}.`;
    case 'wrong_head':
      return `The last record, position ${position}, does not have the hash of --head: records are missing at the end, or it is the head of another time.`;
  }
}
