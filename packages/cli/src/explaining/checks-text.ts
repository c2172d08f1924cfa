import type { ExplainedCheckName, CheckResult } from '@countersign/explain';
import { fieldLines, wrapped } from '../terminal/layout.ts';
import type { Colours } from '../terminal/report.ts';
import { visible } from '../terminal/visible.ts';

/**
 * Formats the checks, one on each line. Findings explain a failed check better than the check does, so its
 * own reason is only shown without them.
 */
export function checksText(checks: readonly CheckResult[], hasFindings: boolean, colours: Colours): string {
  const { strong, faint } = colours;
  const lines = checks.map((check) => checkLines(check, hasFindings, colours)).join('');
  return `${strong('Checks')} ${faint(elsewhere)}\n${lines}`;
}

/** Formats one check on one line, with details below it if it failed. */
function checkLines(
  { name, state, facts }: CheckResult,
  hasFindings: boolean,
  { good, bad, faint }: Colours,
): string {
  const [number, title] = checkTitles[name];
  const paint = state === 'passed' ? good : state === 'failed' ? bad : faint;
  const { code, reason, expected, received } = facts;
  const told =
    state === 'passed' ? factsText(facts) : state === 'failed' ? String(code) : String(reason ?? '');
  const line = `  ${String(number).padStart(2)} ${title.padEnd(titleWidth)}${paint(state.replace('-', ' ').padEnd(stateWidth))}${visible(told)}`;
  if (state !== 'failed' || hasFindings) return `${line.trimEnd()}\n`;
  return `${line.trimEnd()}\n${wrapped(visible(String(reason)), factIndent)}${fieldLines(
    [
      ['expected', optionalText(expected)],
      ['received', optionalText(received)],
    ],
    factIndent,
  )}`;
}

/** Readers of a list with gaps should know what is missing. */
const elsewhere = '(9, 10, 11 and 13 are about the client and replays: only the service can do them)';

const checkTitles: Readonly<Record<ExplainedCheckName, readonly [number: number, title: string]>> = {
  framing: [1, 'method and URL'],
  presence: [2, 'headers present'],
  syntax: [3, 'form of the signature headers'],
  parameters: [4, 'parameters'],
  algorithm: [5, 'algorithm'],
  components: [6, 'components'],
  time: [7, 'time'],
  signature: [8, 'signature'],
  body: [12, 'body'],
};

const titleWidth = Math.max(...Object.values(checkTitles).map(([, title]) => title.length)) + 2;
const stateWidth = 'not reached'.length + 2;
const factIndent = ' '.repeat(5);

function optionalText(fact: string | number | undefined): string | undefined {
  if (fact === undefined) return undefined;
  const text = String(fact);
  return text.length > factLengthMax ? `${text.slice(0, factLengthMax - 1)}…` : text;
}

const factLengthMax = 160;

const factTexts: Readonly<Record<string, (value: string | number) => string>> = {
  keyid: (value) => `keyid ${value}`,
  ageSeconds: (value) => (Number(value) < 0 ? `${-Number(value)} s ahead` : `${value} s old`),
  signatureBytes: (value) => `${value} bytes`,
  components: String,
};

function factsText(facts: CheckResult['facts']): string {
  return Object.entries(facts)
    .flatMap(([name, value]) => factTexts[name]?.(value) ?? [])
    .join(', ');
}
