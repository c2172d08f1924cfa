import {
  type PastedRequest,
  readRequestText,
  type RequestNote,
  requestOfFields,
  type RequestTextAdvice,
  RequestTextError,
  withBody,
} from '@countersign/explain/request-text';
import { CommandError, usageError } from '../exits.ts';
import { readBytes } from '../files.ts';
import type { Io } from '../terminal/io.ts';

export interface RequestSource {
  /** Standard input if undefined or `-`. */
  readonly file: string | undefined;
  readonly entry: string | undefined;
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly header: readonly string[];
  readonly 'body-file': string | undefined;
  /** True if `entry` may be meant for another file, so that a file without entries is not a mistake. */
  readonly isEntryShared?: boolean;
}

/**
 * Reads a request from options, HTTP, a curl command line or its verbose output, or HAR. Throws a CommandError that
 * says what to do if there is none.
 */
export async function readPastedRequest(source: RequestSource, io: Io): Promise<PastedRequest> {
  const isByOptions = source.method !== undefined || source.url !== undefined || source.header.length > 0;
  if (isByOptions && source.file !== undefined)
    throw usageError('Pass the request as FILE or with --method, --url and --header, not both.');
  const request = isByOptions ? await readOptions(source) : await readSource(source, io);
  const bodyFile = source['body-file'];
  return bodyFile === undefined ? request : withBody(request, await readBytes(io, bodyFile, 'body file'));
}

function readOptions({ method, url, header }: RequestSource): Promise<PastedRequest> {
  if (method === undefined || url === undefined)
    throw usageError('Without FILE, pass --method, --url and the --header lines.');
  return readOrAdvise(() => ({
    ...requestOfFields({ method, url, headers: header, body: undefined }),
    source: 'the options',
  }));
}

async function readSource(
  { file = '-', entry: given, isEntryShared = false }: RequestSource,
  io: Io,
): Promise<PastedRequest> {
  const bytes = await readBytes(io, file, 'request');
  const entry = isEntryShared && !isArchive(bytes) ? undefined : given;
  const readFile = (path: string): Promise<Uint8Array> => readBytes(io, path, 'body file of the curl line');
  return readOrAdvise(() => readRequestText(bytes, { entry, readFile }));
}

/** Returns true if a file may contain several requests. */
export function isArchive(bytes: Uint8Array): boolean {
  return /^\ufeff?\s*[{[]/.test(Buffer.from(bytes.subarray(0, 1024)).toString());
}

/** Explains how to follow each piece of advice on the command line. */
const adviceTexts: Readonly<Record<RequestTextAdvice, string>> = {
  'give-body': 'Give it with --body-file FILE.',
  'give-body-instead': 'Save the body, and give it with --body-file FILE in place of that option.',
  'give-verbose-output': 'Run it with -v, and give that output with --body-file FILE.',
  'give-base-url': 'Give the URL of the service: --base-url https://api.example.com',
  'choose-entry': 'Give one with --entry NUMBER, or a part of its URL:',
  'give-fields': 'Or use --method, --url and --header.',
};

/** Adds the helpful option to a note. */
export function noteText({ text, advice }: RequestNote): string {
  return advice === undefined ? text : `${text} ${adviceTexts[advice]}`;
}

/** Turns a RequestTextError into a CommandError that names the helpful option. */
export async function readOrAdvise<Value>(read: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof RequestTextError)) throw error;
    const { message, advice, choices, code } = error;
    const lines = [noteText({ text: message, ...(advice !== undefined && { advice }) })];
    const text = [...lines, ...choices.map((choice) => `  ${choice}`)].join('\n');
    throw code === 'unreadable' ? new CommandError('local', 'request_unreadable', text) : usageError(text);
  }
}
