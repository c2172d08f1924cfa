import type { QueryParameters, QueryValues } from '@countersign/contract';
import { ProblemError } from '@countersign/gate';

/**
 * Reads the query of a request by the table of its parameters.
 *
 * @throws ProblemError `query_invalid`
 */
export function readQueryAs<
  Parameters extends { readonly [Name in keyof Parameters]: QueryParameters[string] },
>(query: string, parameters: Parameters): QueryValues<Parameters> {
  const values: Record<string, unknown> = {};
  for (const [name, text] of readQuery(query, Object.keys(parameters))) {
    const result = parameters[name as keyof Parameters].schema.safeParse(text);
    if (!result.success) throw queryInvalid(result.error.issues[0]?.message ?? `${name} is not valid`);
    values[name] = result.data;
  }
  return values as QueryValues<Parameters>;
}

/**
 * Reads the query of a request: the parameters that the operation has, each at most once.
 *
 * A parameter that is not known is refused, because a caller that misspelt `cursor` would read the first page for ever.
 *
 * @param query raw, without `?`
 * @throws ProblemError `query_invalid`
 */
export function readQuery<Name extends string>(
  query: string,
  names: readonly Name[],
): ReadonlyMap<Name, string> {
  const values = new Map<Name, string>();
  if (query === '') return values;
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
    if (values.has(name)) throw queryInvalid(`the query parameter ${name} stands twice`);
    values.set(name, value);
  }
  return values;
}

/** A refusal of a query, with a reason that the caller sees. */
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
