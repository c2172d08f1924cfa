import { type CommandError, usageError } from '../command-error.ts';
import { headerValues, type RequestToExplain } from './request-to-explain.ts';

/** Whether a text may be JSON, which no request and no command line is. */
export function isJsonText(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

/**
 * Reads the request of a HAR entry (HTTP Archive 1.2): of a whole archive the one that `entry` names by its number from
 * 1 or by a part of its URL, or the only one that is signed. Throws a usage error that lists the entries otherwise.
 */
export function readHarEntry(text: string, entry: string | undefined): RequestToExplain {
  const chosen = chooseEntry(entriesOf(parse(text)), entry);
  const { request } = chosen;
  const lines = readPairs(request['headers']).filter(([name]) => !name.startsWith(':'));
  const url = String(request['url']);
  const authority = /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? '';
  const { body, warnings } = readPostData(request);
  return {
    source: 'a HAR entry',
    method: String(request['method']),
    target: url,
    headers: headerValues(lines, 'host').length > 0 ? lines : [['Host', authority], ...lines],
    body,
    warnings,
    ...(chosen.startedAt !== undefined && { recordedAt: chosen.startedAt }),
  };
}

type JsonObject = Readonly<Record<string, unknown>>;

interface Entry {
  readonly request: JsonObject;
  readonly startedAt: string | undefined;
}

const listedMax = 20;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notHar();
  }
}

/** An archive, its log, a list of entries, one entry, or the request of one. */
function entriesOf(value: unknown): readonly Entry[] {
  const log = member(value, 'log') ?? value;
  const list = member(log, 'entries') ?? (Array.isArray(log) ? log : [log]);
  if (!Array.isArray(list)) throw notHar();
  const entries = list.flatMap((one: unknown): Entry[] => {
    const request = member(one, 'request') ?? one;
    const startedAt = member(one, 'startedDateTime');
    const isRequest =
      typeof member(request, 'method') === 'string' &&
      typeof member(request, 'url') === 'string' &&
      Array.isArray(member(request, 'headers'));
    return isRequest
      ? [{ request: request as JsonObject, startedAt: typeof startedAt === 'string' ? startedAt : undefined }]
      : [];
  });
  if (entries.length === 0) throw notHar();
  return entries;
}

function chooseEntry(entries: readonly Entry[], wanted: string | undefined): Entry {
  const isSigned = ({ request }: Entry): boolean =>
    readPairs(request['headers']).some(([name]) => /^signature(?:-input)?$/i.test(name));
  const byNumber = wanted !== undefined && /^\d{1,6}$/.test(wanted) ? entries[Number(wanted) - 1] : undefined;
  if (byNumber) return byNumber;
  const found =
    wanted !== undefined
      ? entries.filter(({ request }) => String(request['url']).includes(wanted))
      : entries.length === 1
        ? entries
        : entries.filter(isSigned);
  if (found.length === 1) return found[0]!;
  const shown = (found.length > 0 ? found : entries).slice(0, listedMax);
  const list = shown.map(
    (one) => `  ${entries.indexOf(one) + 1}  ${String(one.request['method'])} ${String(one.request['url'])}`,
  );
  const asked =
    wanted === undefined
      ? 'The archive has several requests.'
      : `--entry ${wanted} names ${found.length === 0 ? 'none' : 'several'} of its requests.`;
  throw usageError(`${asked} Give one with --entry NUMBER, or a part of its URL:\n${list.join('\n')}`);
}

function readPostData(request: JsonObject): Pick<RequestToExplain, 'body' | 'warnings'> {
  const text = member(request['postData'], 'text');
  const size = Number(request['bodySize'] ?? 0);
  if (typeof text === 'string' && (text !== '' || size <= 0)) {
    const isBase64 = member(request['postData'], 'encoding') === 'base64';
    const body = Buffer.from(text, isBase64 ? 'base64' : 'utf8');
    const isOther = size > 0 && size !== body.length;
    const warning = `The archive says that the body has ${size} bytes, and holds ${body.length}: it was changed when it was recorded.`;
    return { body, warnings: isOther ? [warning] : [] };
  }
  const headers = readPairs(request['headers']);
  const hadBody =
    size > 0 ||
    Number(headerValues(headers, 'content-length')[0] ?? 0) > 0 ||
    (request['bodySize'] !== 0 && headerValues(headers, 'content-digest').length > 0);
  if (!hadBody) return { body: new Uint8Array(), warnings: [] };
  return {
    body: undefined,
    warnings: ['The archive does not hold the body. Give it with --body-file FILE.'],
  };
}

function readPairs(value: unknown): [name: string, value: string][] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: unknown): [string, string][] => {
    const [name, text] = [member(one, 'name'), member(one, 'value')];
    return typeof name === 'string' && typeof text === 'string' ? [[name, text]] : [];
  });
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as JsonObject)[name]
    : undefined;
}

function notHar(): CommandError {
  return usageError(
    'This begins like JSON, and is not a HAR archive, an entry of one or its request (with method, url and headers). ' +
      'In the network view of a browser: "Save all as HAR", or "Copy as cURL", which can be explained too.',
  );
}
