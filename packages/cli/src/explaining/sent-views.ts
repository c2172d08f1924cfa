import { basename } from 'node:path';
import type { CandidateKey, HopsExplanation, RequestView } from '@countersign/explain';
import { explainRequestHops } from '@countersign/explain/node';
import type { Judge } from '@countersign/explain/profiles';
import { type PastedRequest, readRequestText } from '@countersign/explain/request-text';
import type { ProfileId } from '@countersign/signature';
import { usageError } from '../exits.ts';
import { readBytes } from '../files.ts';
import type { Io } from '../terminal/io.ts';
import { isArchive, readOrAdvise } from './read-request.ts';

/** A request as seen by one program on its path. */
export type SentView = PastedRequest & RequestView;

/** The most views of one request, with the received one. */
const viewsMax = 8;

/** Reads the files of `--sent`, in order. `entry` selects the request in archives. */
export async function readSentViews(
  files: readonly string[],
  entry: string | undefined,
  io: Io,
): Promise<readonly SentView[]> {
  if (files.length >= viewsMax) throw usageError(`--sent can be repeated at most ${viewsMax - 1} times.`);
  const views: SentView[] = [];
  for (const file of files) {
    const bytes = await readBytes(io, file, 'sent request');
    const readFile = (path: string): Promise<Uint8Array> => readBytes(io, path, 'body file of the curl line');
    const request = await readOrAdvise(() =>
      readRequestText(bytes, { entry: isArchive(bytes) ? entry : undefined, readFile }),
    );
    views.push({ ...request, name: uniqueName(basename(file), views) });
  }
  return views;
}

function uniqueName(name: string, views: readonly SentView[]): string {
  const same = views.filter((view) => view.name.replace(/ \(\d\)$/, '') === name).length;
  return same === 0 ? name : `${name} (${same + 1})`;
}

/** The service's URL from the caller's own view: the received request does not show whether it came over TLS. */
export function calledBaseUrls(sent: readonly SentView[]): readonly string[] {
  const called = sent.find(({ target }) => /^https?:/i.test(target) && URL.canParse(target));
  return called === undefined ? [] : [new URL(called.target).origin];
}

export interface HopSettings {
  readonly candidates: readonly CandidateKey[];
  readonly nowSeconds: number;
  readonly baseUrls: readonly string[];
  readonly profile: ProfileId;
  /** Judges by another profile; undefined for the service's own. */
  readonly judge: Judge | undefined;
}

/** Compares what was sent with what was received. */
export function explainSentHops(
  sent: readonly SentView[],
  received: PastedRequest,
  { candidates, ...options }: HopSettings,
): Promise<HopsExplanation> {
  const views = [...sent, { ...received, name: 'the service' }];
  return readOrAdvise(() => explainRequestHops(views, candidates, options));
}
