import { CommandError } from '../exits.ts';
import { readAnswerJson, textMember } from './json-text.ts';
import type { ReceivedAnswer } from './send-request.ts';

/** Reads the pages that follow a first one, and returns the elements of all. */
export async function readAllPages(
  first: Buffer,
  next: (cursor: string) => Promise<ReceivedAnswer>,
): Promise<readonly unknown[]> {
  const elements: unknown[] = [];
  for (let body = first; ;) {
    const page = readAnswerJson(body)?.value;
    const data = (page as { readonly data?: unknown } | null | undefined)?.data;
    if (!Array.isArray(data))
      throw new CommandError('usage', 'no_list', '--all reads lists, and this answer is none.');
    elements.push(...(data as readonly unknown[]));
    const cursor = textMember(page, 'nextCursor');
    if (cursor === undefined) return elements;
    const answer = await next(cursor);
    if (answer.status !== 200)
      throw new CommandError(
        'refused',
        'list_incomplete',
        `A page of the list was rejected with ${answer.status}. Run the command again.`,
      );
    body = answer.body;
  }
}
