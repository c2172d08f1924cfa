/**
 * Redacts a query for owners: keeps the parameters' names, and the values of the listed ones only, because others may
 * be personal data. A name that is not plain becomes `*`, because it may be a misplaced value.
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

/** Returns true if a text can only be a parameter's name. */
export function isPlainName(text: string): boolean {
  return /^[A-Za-z][A-Za-z_.-]{0,39}$/.test(text);
}

const namesMax = 20;
const valueLengthMax = 100;
