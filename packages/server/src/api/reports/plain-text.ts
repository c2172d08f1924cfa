/**
 * Formats a value as text for people, such as a cell of a spreadsheet: `name: Shop; roles: payments-reader,
 * auditor`. Members without a value are omitted.
 */
export function plainText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map((item: unknown) => itemText(item)).join(', ');
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([name, member]: [string, unknown]) => [
        name,
        Array.isArray(member) ? plainText(member) : itemText(member),
      ])
      .filter(([, text]) => text !== '')
      .map((pair) => pair.join(': '))
      .join('; ');
  }
  return scalarText(value);
}

/** Formats a nested value, such as an entry with its label: `203.0.113.0/24 Office`. */
function itemText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return scalarText(value);
  return Object.values(value)
    .map((member: unknown) => itemText(member))
    .filter((text) => text !== '')
    .join(' ');
}

function scalarText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
