/** The client's view of a connection that has ended, according to a strict HTTP reader. */
export interface WholeAnswer {
  /** 0 if no head came. */
  readonly status: number;
  readonly statusText: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** False if it was cut: its length, or its last chunk, did not come. */
  readonly isComplete: boolean;
  /** The interim responses before it. */
  readonly interim: readonly number[];
  /** The bytes after its end. */
  readonly rest: string;
  /** The code of a problem document. */
  readonly code: string | undefined;
}

/**
 * Reads everything that was received on a connection as one response. `wasReset`: the connection did not end
 * cleanly.
 */
export function readWholeAnswer(text: string, method = 'GET', wasReset = false): WholeAnswer {
  const interim: number[] = [];
  let rest = text;
  for (;;) {
    const headEnd = rest.indexOf('\r\n\r\n');
    const [first = '', ...lines] = rest.slice(0, Math.max(0, headEnd)).split('\r\n');
    const [, status = '0', statusText = ''] = /^HTTP\/1\.1 (\d{3}) ?(.*)$/.exec(first) ?? [];
    const isInterim = status.startsWith('1');
    if (isInterim) interim.push(Number(status));
    if (headEnd >= 0) rest = rest.slice(headEnd + 4);
    if (isInterim) continue;
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    );
    const hasNoBody = method === 'HEAD' || status === '204' || status === '304';
    const read = hasNoBody ? { body: '', isComplete: true, rest } : readBody(rest, headers, wasReset);
    const isProblem = headers['content-type'] === 'application/problem+json' && read.isComplete && !hasNoBody;
    return {
      status: Number(status),
      statusText,
      headers,
      interim,
      ...read,
      isComplete: status !== '0' && read.isComplete,
      code: isProblem ? (JSON.parse(read.body) as { code?: string }).code : undefined,
    };
  }
}

interface Body {
  readonly body: string;
  readonly isComplete: boolean;
  readonly rest: string;
}

function readBody(text: string, headers: Readonly<Record<string, string>>, wasReset: boolean): Body {
  const length = headers['content-length'];
  if (headers['transfer-encoding'] !== undefined) return readChunks(text);
  if (length === undefined) return { body: text, isComplete: !wasReset, rest: '' };
  const end = Number(length);
  return { body: text.slice(0, end), isComplete: text.length >= end, rest: text.slice(end) };
}

function readChunks(text: string): Body {
  let body = '';
  let rest = text;
  for (;;) {
    const [line = '', size = ''] = /^([0-9a-f]+)\r\n/i.exec(rest) ?? [];
    const length = Number.parseInt(size, 16);
    const end = line.length + length;
    if (line === '' || rest.slice(end, end + 2) !== '\r\n') return { body, isComplete: false, rest: '' };
    body += rest.slice(line.length, end);
    rest = rest.slice(end + 2);
    if (length === 0) return { body, isComplete: true, rest };
  }
}
