/**
 * A query as owners may see it: the names of its parameters, and the values of those that are listed. Others may be
 * personal. A name that is not plain is shown as `*`, because it may be a value in a wrong place.
 */
export function shownQuery(query: string, shownValuesOf: ReadonlySet<string>): string {
  if (query === '') return '';
  const parts = query.split('&', namesMax).map((pair) => {
    const [name = ''] = pair.split('=', 1);
    if (!isPlainName(name)) return '*';
    return shownValuesOf.has(name) ? pair.slice(0, name.length + 1 + valueLengthMax) : name;
  });
  return `?${parts.join('&')}`;
}

/** Whether a text can be nothing but the name of a parameter. */
export function isPlainName(text: string): boolean {
  return /^[A-Za-z][A-Za-z_.-]{0,39}$/.test(text);
}

const namesMax = 20;
const valueLengthMax = 100;
