import {
  readRequestText,
  requestOfFields,
  type RequestToExplain,
  withBody,
} from '@countersign/explain/request-text';
import { usageError } from '../command-error.ts';
import { readBytes } from '../files.ts';
import type { Io } from '../terminal/io.ts';
import { readOrAdvise } from './reading-advice.ts';

/** What the options say of the request. */
export interface RequestSource {
  /** Undefined or `-`: standard input. */
  readonly file: string | undefined;
  readonly entry: string | undefined;
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly header: readonly string[];
  readonly 'body-file': string | undefined;
}

/**
 * Reads a request in whatever form it comes: options, HTTP, a command line of curl or its verbose output, HAR. Throws
 * CommandError with what to do when there is none to read.
 */
export async function readRequestToExplain(source: RequestSource, io: Io): Promise<RequestToExplain> {
  const isByOptions = source.method !== undefined || source.url !== undefined || source.header.length > 0;
  if (isByOptions && source.file !== undefined)
    throw usageError('Give the request as FILE or with --method, --url and --header, not both.');
  const request = isByOptions ? await readOptions(source) : await readSource(source, io);
  const bodyFile = source['body-file'];
  return bodyFile === undefined ? request : withBody(request, await readBytes(io, bodyFile, 'body file'));
}

function readOptions({ method, url, header }: RequestSource): Promise<RequestToExplain> {
  if (method === undefined || url === undefined)
    throw usageError('A request that is given by options needs --method, --url and its --header lines.');
  return readOrAdvise(() => ({
    ...requestOfFields({ method, url, headers: header, body: undefined }),
    source: 'the options',
  }));
}

async function readSource({ file = '-', entry }: RequestSource, io: Io): Promise<RequestToExplain> {
  const bytes = await readBytes(io, file, 'request');
  const readFile = (path: string): Promise<Uint8Array> => readBytes(io, path, 'body file of the curl line');
  return readOrAdvise(() => readRequestText(bytes, { entry, readFile }));
}
