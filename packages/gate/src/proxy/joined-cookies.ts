/**
 * Returns header lines, names and values in turn, with all `Cookie` lines joined into one by `; `. Otherwise
 * HTTP/2 would join them with commas, which do not separate cookies (RFC 9113 section 8.2.3).
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
