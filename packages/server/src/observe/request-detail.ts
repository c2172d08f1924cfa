import { valuesOf } from '../http/framing.ts';

/**
 * The client that a request names, whether or not it could prove to be it: so that the owner finds what its programs do
 * wrong before their signature is even looked at. Undefined when it cannot be told.
 */
export function namedClientId(rawHeaders: readonly string[]): string | undefined {
  const [text = ''] = valuesOf(rawHeaders, 'signature-input');
  return /;keyid="([!#-[\]-~]{1,256})"/.exec(text)?.[1];
}

/**
 * The names of the parameters of a query without their values, which may be personal. A name that is not plain is shown
 * as `*`, because it may be a value in a wrong place.
 */
export function queryNames(query: string): string {
  if (query === '') return '';
  const names = query
    .split('&', namesMax)
    .map((pair) => pair.split('=', 1)[0] ?? '')
    .map((name) => (/^[A-Za-z][A-Za-z_.-]{0,39}$/.test(name) ? name : '*'));
  return `?${names.join('&')}`;
}

const namesMax = 20;
