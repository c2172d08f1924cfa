/**
 * Returns header lines, names and values in turn, with one `Cookie` in place of several, its parts separated by `; `.
 * HTTP/2 joins lines of one name by commas, in which a cookie ends nowhere (RFC 9113 section 8.2.3).
 */
export function withJoinedCookies(headers: readonly string[]): string[] {
  const joined: string[] = [];
  let place: number | undefined;
  for (let index = 0; index < headers.length; index += 2) {
    const [name, value] = [headers[index]!, headers[index + 1]!];
    if (name.toLowerCase() !== 'cookie') joined.push(name, value);
    else if (place === undefined) place = joined.push('Cookie', value) - 1;
    else joined[place] += `; ${value}`;
  }
  return joined;
}
