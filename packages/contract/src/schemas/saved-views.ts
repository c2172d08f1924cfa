import { z } from 'zod';
import { savedViewLimits } from '../limits.ts';
import { readSavedQuery } from '../request-filters.ts';
import { body, createdAt, name, nameInput, type Shape, updatedAt } from './parts.ts';

const { perPersonMax, sharedPerAccountMax, queryCharactersMax } = savedViewLimits;

const queryText =
  "The filters, order and period, as in the address of the portal's list: `client`, `outcome`, `status`, `search`, `sort`, `period`, `from` and `to`.";
const queryAdvice = `Write the query of a list of requests, of at most ${queryCharactersMax} characters, such as outcome=refused&period=7d.`;
const query = z
  .string({ error: queryAdvice })
  .max(queryCharactersMax, { error: queryAdvice })
  .superRefine((text, context) => {
    const saved = readSavedQuery(text);
    if ('mistake' in saved)
      context.addIssue({ code: 'custom', message: `The search cannot be read: ${saved.mistake}.` });
  })
  .describe(`${queryText} Anything else is left out.`);
const isShared = z
  .boolean({ error: 'Write true or false.' })
  .describe(
    'Whether everyone in the account who can read requests sees it. Only its author can change this.',
  );

const savedView = z
  .strictObject({
    savedViewId: z.string().describe('The ID of the view.'),
    name,
    query: z.string().describe(queryText),
    isShared,
    isOwn: z.boolean().describe('Whether the caller is its author.'),
    author: z
      .optional(
        z.strictObject({
          userId: z.string().describe('The user ID.'),
          name: z.string().describe("The person's name."),
        }),
      )
      .describe('Who saved it; absent once they have left the service.'),
    createdAt,
    updatedAt,
  })
  .describe('Filters of the request log under a name.');

export const savedViewSchemas = {
  SavedView: savedView,
  SavedViews: z
    .strictObject({
      items: z
        .array(savedView)
        .describe(
          `The caller's own, at most ${perPersonMax}, and those that are shared, at most ${sharedPerAccountMax}; by name.`,
        ),
    })
    .describe("The caller's saved views, and those that are shared with the account."),
  SavedViewRequest: body(
    { name: nameInput, query, isShared: z.optional(isShared) },
    'The view to save. Its author has no other view with this name.',
    { name: 'Rejected this week', query: 'outcome=refused&period=7d', isShared: true },
  ),
  SavedViewChange: body(
    { name: z.optional(nameInput), query: z.optional(query), isShared: z.optional(isShared) },
    'The fields to change (JSON merge patch, RFC 7396).',
    { query: 'outcome=refused&period=30d' },
  ),
};

export type SavedView = Shape<typeof savedView>;
export type SavedViews = Shape<typeof savedViewSchemas.SavedViews>;
export type SavedViewRequest = Shape<typeof savedViewSchemas.SavedViewRequest>;
export type SavedViewChange = Shape<typeof savedViewSchemas.SavedViewChange>;
