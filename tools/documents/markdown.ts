export interface Heading {
  /** Without marks: `` `not_found` `` is `not_found`. */
  readonly text: string;
  readonly anchor: string;
  readonly line: number;
}

/** A link or image. */
export interface Link {
  readonly target: string;
  readonly line: number;
}

export interface Fence {
  /** The words behind the opening fence: the language first. */
  readonly words: readonly string[];
  readonly text: string;
  /** The line of the first line inside. */
  readonly line: number;
}

export interface MarkdownDocument {
  readonly headings: readonly Heading[];
  /** Valid link targets: anchors of headings, and those set by hand. */
  readonly anchors: ReadonlySet<string>;
  readonly links: readonly Link[];
  readonly fences: readonly Fence[];
  /** The text with code and comments blanked out, line for line. */
  readonly prose: string;
}

/** Parses as much of GitHub's Markdown as the checks need. */
export function readMarkdown(text: string): MarkdownDocument {
  const { fences, rest } = takeFences(text);
  const uncommented = rest.replace(/<!--[\s\S]*?-->/g, blank);
  const prose = uncommented.replace(/(?<!`)(`+)(?!`)(?:(?!\n\s*\n)[\s\S])*?(?<!`)\1(?!`)/g, blank);
  const headings = readHeadings(uncommented);
  const byHand = [...prose.matchAll(/<a\s+(?:id|name)="([^"]+)"/g)].map((match) => match[1] ?? '');
  const anchors = new Set([...headings.map((heading) => heading.anchor), ...byHand]);
  return { headings, anchors, links: readLinks(prose), fences, prose };
}

function takeFences(text: string): { fences: Fence[]; rest: string } {
  const fences: Fence[] = [];
  const rest: string[] = [];
  let open: { mark: string; words: string[]; lines: string[]; line: number } | undefined;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const fence = /^\s*(`{3,}|~{3,})([^`]*)$/.exec(line);
    const mark = fence?.[1] ?? '';
    const words = (fence?.[2] ?? '').split(/\s+/).filter((word) => word !== '');
    if (open === undefined) {
      if (fence) open = { mark, words, lines: [], line: index + 2 };
    } else if (mark.startsWith(open.mark) && words.length === 0) {
      fences.push({ words: open.words, text: open.lines.join('\n'), line: open.line });
      open = undefined;
      rest.push('');
      continue;
    } else {
      open.lines.push(line);
    }
    rest.push(open === undefined ? line : '');
  }
  if (open !== undefined) fences.push({ words: open.words, text: open.lines.join('\n'), line: open.line });
  return { fences, rest: rest.join('\n') };
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

function readHeadings(text: string): Heading[] {
  const used = new Map<string, number>();
  return text.split('\n').flatMap((line, index) => {
    const match = /^ {0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$/.exec(line);
    if (!match) return [];
    const heading = (match[1] ?? '').replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    const before = used.get(slug) ?? 0;
    used.set(slug, before + 1);
    return [{ text: heading, anchor: before === 0 ? slug : `${slug}-${before}`, line: index + 1 }];
  });
}

/** Inline links and images, definitions of references, and `href` and `src` of HTML. */
const linkForms: readonly RegExp[] = [
  /\]\(\s*(<[^>\n]*>|[^\s()<]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/g,
  /^ {0,3}\[[^\]\n]+\]:\s*(\S+)/gm,
  /<(?:a|img|source)\b[^>]*?\b(?:href|src|srcset)\s*=\s*"([^"]*)"/gi,
];

function readLinks(prose: string): Link[] {
  return linkForms.flatMap((form) =>
    [...prose.matchAll(form)].map((match) => ({
      target: (match[1] ?? '').replace(/^<(.*)>$/, '$1'),
      line: prose.slice(0, match.index).split('\n').length,
    })),
  );
}
