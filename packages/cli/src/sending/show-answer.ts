import type { Io } from '../terminal/io.ts';
import { coloursFor, writeNote } from '../terminal/report.ts';
import { visible, visibleLines } from '../terminal/visible.ts';
import { type Answered, explainProblem } from './explain-problem.ts';
import { readAnswerJson } from './json-text.ts';
import type { ReceivedAnswer } from './send-request.ts';

/**
 * Shows a response: the status and its meaning on standard error, the body on standard output, unchanged for
 * a program and readable for a person.
 */
export function showAnswer(answer: ReceivedAnswer, answered: Answered, io: Io): void {
  const isExplained = showOutcome(answer, answered, io);
  if (io.output.isTTY !== true || !isExplained) io.output.write(bodyForOutput(answer.body, io));
}

/** Shows the status and its meaning on standard error. Returns true if that covers everything in the body. */
export function showOutcome(answer: ReceivedAnswer, answered: Answered, io: Io): boolean {
  const { good, bad, faint } = coloursFor(io, io.errors);
  const { status, statusText, durationMs } = answer;
  const paint = status < 400 ? good : bad;
  io.errors.write(
    `${paint(`${status} ${visible(statusText)}`)} ${faint(`(${Math.round(durationMs)} ms)`)}\n`,
  );
  const location = answer.headers.find(([name]) => name.toLowerCase() === 'location')?.[1];
  if (status >= 300 && status < 400 && location !== undefined) {
    writeNote(
      io,
      `redirects are not followed, because a signature is for one URL; to go there, request ${location}`,
    );
  }
  const problem = status >= 400 ? explainProblem(answer, answered) : undefined;
  if (problem !== undefined) io.errors.write(problem);
  return problem !== undefined;
}

/** A body unchanged for a program, and readable for a person. */
export function bodyForOutput(body: Buffer, io: Io): string | Buffer {
  return io.output.isTTY === true ? readable(body) : body;
}

export function answerAsJson(answer: ReceivedAnswer): Record<string, unknown> {
  const { status, headers, body } = answer;
  const json = readAnswerJson(body);
  const text = body.toString('utf8');
  const isText = Buffer.from(text, 'utf8').equals(body);
  return {
    ok: status < 400,
    status,
    headers: headersAsJson(headers),
    ...(body.length > 0 &&
      (json ? { body: json.value } : isText ? { body: text } : { bodyBase64: body.toString('base64') })),
  };
}

/** Headers by lower-case name. Repeated ones are joined as in RFC 9110 section 5.3. */
export function headersAsJson(lines: readonly (readonly [string, string])[]): Record<string, string> {
  const byName = Map.groupBy(lines, ([name]) => name.toLowerCase());
  return Object.fromEntries(
    [...byName].map(([name, ofName]) => [name, ofName.map(([, value]) => value).join(', ')]),
  );
}

/** Shows indented JSON, other text without control characters, or the size of anything else. */
function readable(body: Buffer): string {
  if (body.length === 0) return '';
  const json = readAnswerJson(body);
  if (json) return `${visibleLines(JSON.stringify(json.value, undefined, 2))}\n`;
  const text = body.toString('utf8');
  if (text.includes('\0') || !Buffer.from(text, 'utf8').equals(body)) {
    return `(${body.length} bytes that are not text; write them to a file with > FILE)\n`;
  }
  return `${visibleLines(text.replaceAll('\r\n', '\n')).trimEnd()}\n`;
}
