/** Whether a text is what `curl -v` or `countersign request -v` printed: the lines that were sent begin with `> `. */
export function isVerboseOutput(text: string): boolean {
  return requestLine.test(text);
}

const requestLine = /^> \S+ \S+ HTTP\/[\d.]+\r?$/m;

/** The head of the last request in such a text, as it went over the wire. Bodies are not in it. */
export function headOfVerboseOutput(text: string): string {
  const lines = text.split(/\r?\n/);
  const first = lines.findLastIndex((line) => requestLine.test(line));
  const head = [];
  for (const line of lines.slice(first)) {
    if (!line.startsWith('> ') || line.trim() === '>') break;
    head.push(line.slice(2));
  }
  return `${head.join('\r\n')}\r\n\r\n`;
}
