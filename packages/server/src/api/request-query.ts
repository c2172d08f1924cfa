import type { QueryParameters } from '@countersign/contract';
import { ProblemError } from '@countersign/gate';

/**
 * Reads a query by its table of parameters, each at most once.
 *
 * Rejects unknown parameters: a caller that misspelled `cursor` would read the first page forever.
 *
 * @param query raw, without `?`
 * @throws ProblemError `query_invalid`
 */
export function readQuery(query: string, parameters: QueryParameters): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [name, text] of textsOf(query, Object.keys(parameters))) {
    const result = parameters[name]?.schema.safeParse(text);
    if (!result?.success) throw queryInvalid(result?.error.issues[0]?.message ?? `${name} is not valid`);
    values[name] = result.data;
  }
  return values;
}

function textsOf(query: string, names: readonly string[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  if (query === '') return texts;
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=');
    const given = equals < 0 ? undefined : decode(pair.slice(0, equals));
    const name = names.find((known) => known === given);
    const value = decode(pair.slice(equals + 1));
    if (name === undefined || value === undefined) {
      throw queryInvalid(
        names.length === 0
          ? 'this operation has no query parameters'
          : `the query parameters are ${names.join(', ')}, each as name=value`,
      );
    }
    if (texts.has(name)) throw queryInvalid(`the query parameter ${name} occurs twice`);
    texts.set(name, value);
  }
  return texts;
}

/** Creates the rejection of a query, with a reason that the caller sees. */
export function queryInvalid(reason: string): ProblemError {
  return new ProblemError('query_invalid', { members: { reason } });
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
