export const tokenKinds = ['comment', 'string', 'number', 'keyword', 'name'] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** A piece of code; plain text has no kind. */
export interface Token {
  readonly kind?: TokenKind;
  readonly text: string;
}

/** The code's language, as in Markdown fences. */
export type Language = keyof typeof grammars;

export function isLanguage(name: string): name is Language {
  return Object.hasOwn(grammars, name);
}

/** Splits code for highlighting. The concatenated texts of all tokens are the code. */
export function tokensOf(code: string, language: Language): readonly Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of code.matchAll(grammars[language])) {
    if (match.index > end) tokens.push({ text: code.slice(end, match.index) });
    const kind = tokenKinds.find((each) => match.groups?.[each] !== undefined);
    tokens.push({ ...(kind && { kind }), text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < code.length) tokens.push({ text: code.slice(end) });
  return tokens;
}

const doubleQuoted = String.raw`"(?:[^"\\\n]|\\[^])*"`;
const singleQuoted = String.raw`'(?:[^'\\\n]|\\[^])*'`;
const backQuoted = '`(?:[^`\\\\]|\\\\[^])*`';
const slashComment = String.raw`\/\/[^\n]*|\/\*[^]*?\*\/`;
const hashComment = String.raw`(?<![^\s])#[^\n]*`;
const numbers = String.raw`\b\d[\d_]*(?:\.\d+)?\b`;

interface Words {
  readonly comment?: string;
  readonly string?: string;
  readonly keyword?: string;
  readonly name?: string;
  readonly number?: string;
}

/** Earlier patterns win: a keyword within a string is a string. */
function grammar({ comment, string, keyword, name, number = numbers }: Words): RegExp {
  const parts = { comment, string, keyword, name, number };
  const groups = Object.entries(parts).flatMap(([kind, part]) => (part ? [`(?<${kind}>${part})`] : []));
  return new RegExp(groups.join('|'), 'gm');
}

function words(list: string): string {
  return String.raw`(?<![\w.$-])(?:${list.split(' ').join('|')})(?![\w-])`;
}

const calledName = String.raw`(?<![\w])[A-Za-z_]\w*(?=\()`;

const shell = grammar({
  comment: hashComment,
  string: String.raw`"(?:[^"\\]|\\[^])*"|'[^']*'`,
  keyword: words(
    'if then else elif fi for in do done while case esac export set return exit cd mkdir cp curl openssl printf echo npm npx pip python python3 php ruby go cargo dotnet java javac mvn gem composer bundle countersign sed date',
  ),
  name: String.raw`(?<![\w-])--?[A-Za-z][\w-]*|\$\{?\w+\}?|^\s*\w+(?==)`,
  number: String.raw`(?<=[\s=])\d+(?=\s|$)`,
});
const script = grammar({
  comment: slashComment,
  string: [doubleQuoted, singleQuoted, backQuoted].join('|'),
  keyword: words(
    'import from export default const let var function return async await new if else for of in while try catch finally throw class extends typeof instanceof undefined null true false type interface readonly as satisfies',
  ),
  name: calledName,
});
const java = grammar({
  comment: slashComment,
  string: String.raw`"""[^]*?"""|${doubleQuoted}|${singleQuoted}`,
  keyword: words(
    'package import public private protected static final class interface record enum extends implements new return void int long byte boolean char var val fun if else for while try catch finally throw throws switch case default break continue this super null true false instanceof',
  ),
  name: calledName,
});
const csharp = grammar({
  comment: slashComment,
  string: String.raw`[$@]?${doubleQuoted}|${singleQuoted}`,
  keyword: words(
    'using namespace public private protected internal static readonly const class interface record struct new return void int long byte bool char string var async await if else for foreach in while try catch finally throw switch case default break continue this base null true false is as out ref',
  ),
  name: calledName,
});
const markup = grammar({
  comment: String.raw`<!--[^]*?-->`,
  string: doubleQuoted,
  keyword: String.raw`<\/?[A-Za-z][\w:.-]*|\/?>`,
  name: String.raw`\b[\w:.-]+(?==)`,
});
const settings = grammar({
  comment: hashComment,
  string: [doubleQuoted, singleQuoted].join('|'),
  keyword: words('true false null'),
  name: String.raw`^\s*(?:- )?[\w.-]+(?=\s*[:=])|^\s*\[+[\w.-]+\]+`,
});
const plain = /(?!)/g;

const grammars = {
  sh: shell,
  js: script,
  ts: script,
  java,
  csharp,
  xml: markup,
  yaml: settings,
  toml: settings,
  text: plain,
  python: grammar({
    comment: hashComment,
    string: String.raw`[rbfu]{0,2}(?:"""[^]*?"""|'''[^]*?'''|${doubleQuoted}|${singleQuoted})`,
    keyword: words(
      'import from as def return class if elif else for in while try except finally raise with async await lambda yield pass not and or is None True False global print',
    ),
    name: calledName,
  }),
  go: grammar({
    comment: slashComment,
    string: [doubleQuoted, singleQuoted, '`[^`]*`'].join('|'),
    keyword: words(
      'package import func return var const type struct interface map chan go defer if else for range switch case default break continue nil true false string int int64 byte error bool',
    ),
    name: calledName,
  }),
  rust: grammar({
    comment: slashComment,
    string: String.raw`b?${doubleQuoted}|'(?:[^'\\\n]|\\[^])'`,
    keyword: words(
      'use mod pub fn let mut const static struct enum impl trait for in while loop if else match return async await move self Self true false None Some Ok Err as where dyn ref',
    ),
    name: calledName,
  }),
  ruby: grammar({
    comment: hashComment,
    string: [doubleQuoted, singleQuoted].join('|'),
    keyword: words(
      'require require_relative def end class module if elsif else unless while until do begin rescue ensure raise return yield nil true false self puts then case when and or not',
    ),
    name: String.raw`(?<!:):[a-z_]\w*|@\w+|${calledName}`,
  }),
  php: grammar({
    comment: String.raw`${slashComment}|${hashComment}`,
    string: [doubleQuoted, singleQuoted].join('|'),
    keyword: String.raw`<\?php|${words(
      'declare use namespace require require_once include function fn return class interface extends implements new public private protected static final readonly const if else elseif for foreach as while try catch finally throw match switch case default null true false echo string int bool array void',
    )}`,
    name: String.raw`\$\w+|${calledName}`,
  }),
  sql: grammar({
    comment: '--[^\n]*',
    string: singleQuoted,
    keyword: words(
      'SELECT FROM WHERE INSERT INTO VALUES UPDATE SET DELETE CREATE TABLE ROLE GRANT ON TO WITH',
    ),
  }),
  nginx: grammar({
    comment: hashComment,
    string: [doubleQuoted, singleQuoted].join('|'),
    keyword: String.raw`^\s*[a-z_]+(?=[\s;])`,
    name: String.raw`\$\w+`,
  }),
  json: grammar({
    name: String.raw`${doubleQuoted}(?=\s*:)`,
    string: String.raw`${doubleQuoted}(?!\s*:)`,
    keyword: words('true false null'),
    number: String.raw`-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b`,
  }),
  http: grammar({
    keyword: String.raw`^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)(?= )|^HTTP\/[\d.]+`,
    name: String.raw`^[A-Za-z][\w-]*(?=:)|^"@?[\w-]+"(?=:)`,
    string: doubleQuoted,
  }),
} as const satisfies Readonly<Record<string, RegExp>>;
