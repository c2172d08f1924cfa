import type { Command } from '../command.ts';
import type { OptionTable } from '../arguments/options.ts';

/** The facts about the command line that a shell needs. */
export interface CompletionTree {
  /** First words, each with its summary, and with the second words of a group. */
  readonly words: readonly CompletionWord[];
  /** Values for the first argument of a command, such as methods, by command name. */
  readonly firstArguments: Readonly<Record<string, readonly string[]>>;
}

export interface CompletionWord {
  readonly word: string;
  readonly summary: string;
  /** Undefined for a group. */
  readonly options: OptionTable | undefined;
  readonly members: readonly CompletionWord[];
}

export function completionTree(
  commands: readonly Command[],
  firstArguments: CompletionTree['firstArguments'],
): CompletionTree {
  const groups = Map.groupBy(commands, ({ name }) => name.split(' ')[0]!);
  const words = [...groups].map(([word, members]): CompletionWord => {
    const [only] = members;
    if (members.length === 1 && only?.name === word)
      return { word, summary: only.summary, options: only.options, members: [] };
    return {
      word,
      summary: members.map(({ name }) => name.split(' ')[1]).join(', '),
      options: undefined,
      members: members.map(({ name, summary, options }) => ({
        word: name.split(' ')[1] ?? '',
        summary,
        options,
        members: [],
      })),
    };
  });
  return { words, firstArguments };
}

export const shells = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
export type Shell = keyof typeof shells;

interface Leaf extends CompletionWord {
  readonly path: string;
  readonly options: OptionTable;
}

function leaves({ words }: CompletionTree): Leaf[] {
  return words.flatMap((one) =>
    one.options === undefined
      ? one.members.map((member) => ({
          ...member,
          path: `${one.word} ${member.word}`,
          options: member.options ?? {},
        }))
      : [{ ...one, path: one.word, options: one.options }],
  );
}

function bashScript(tree: CompletionTree): string {
  const groups = tree.words.filter(({ members }) => members.length > 0);
  const depth = (path: string): number => path.split(' ').length + 1;
  return `# Completion of countersign for bash: source <(countersign completion bash)
_countersign() {
  local word=\${COMP_WORDS[COMP_CWORD]} first=\${COMP_WORDS[1]} second=\${COMP_WORDS[2]} words=
  if ((COMP_CWORD == 1)); then
    words=${quoted(tree.words.map(({ word }) => word).join(' '))}
  else
    case $first in
${groups.map(({ word }) => `      ${word}) first="$first $second" ;;`).join('\n')}
    esac
    case $COMP_CWORD:$first in
${groups.map(({ word, members }) => `      2:${word}*) words=${quoted(members.map((one) => one.word).join(' '))} ;;`).join('\n')}
      *)
        case $word:$first in
${leaves(tree)
  .map(
    ({ path, options }) => `          -*:${quoted(path)}) words=${quoted(spellings(options).join(' '))} ;;`,
  )
  .join('\n')}
        esac
        case $COMP_CWORD:$first:$word in
          *:-*) ;;
${Object.entries(tree.firstArguments)
  .map(([path, values]) => `          ${depth(path)}:${quoted(path)}:*) words=${quoted(values.join(' '))} ;;`)
  .join('\n')}
        esac
        ;;
    esac
  fi
  # Without words, bash completes files.
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o bashdefault -o default -F _countersign countersign
`;
}

function zshScript(tree: CompletionTree): string {
  const groups = tree.words.filter(({ members }) => members.length > 0);
  const described = (words: readonly CompletionWord[]): string =>
    words.map(({ word, summary }) => quoted(`${word}:${summary.replaceAll(':', '\\:')}`)).join(' ');
  const depth = (path: string): number => path.split(' ').length + 2;
  return `#compdef countersign
# Completion of countersign for zsh: source <(countersign completion zsh)
_countersign() {
  local -a choices
  local first=$words[2]
  if ((CURRENT == 2)); then
    choices=(${described(tree.words)})
    _describe command choices
    return
  fi
  case $first in
${groups
  .map(
    ({ word, members }) => `    ${word})
      if ((CURRENT == 3)); then
        choices=(${described(members)})
        _describe command choices
        return
      fi
      first="$first $words[3]" ;;`,
  )
  .join('\n')}
  esac
  case $first in
${leaves(tree)
  .map(({ path, options }) => `    ${quoted(path)}) choices=(${zshOptions(options)}) ;;`)
  .join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe -o option choices
    return
  fi
  case $CURRENT:$first in
${Object.entries(tree.firstArguments)
  .map(
    ([path, values]) => `    ${depth(path)}:${quoted(path)}) compadd -- ${values.map(quoted).join(' ')} ;;`,
  )
  .join('\n')}
    *) _files ;;
  esac
}
# Sourced, not loaded as a function of fpath.
if [[ $funcstack[1] == _countersign ]]; then _countersign "$@"; else compdef _countersign countersign; fi
`;
}

function zshOptions(options: OptionTable): string {
  return Object.entries(options)
    .map(([name, { help }]) => quoted(`--${name}:${help.replaceAll(':', '\\:')}`))
    .join(' ');
}

function fishScript(tree: CompletionTree): string {
  const lines = tree.words.flatMap(({ word, summary, members }) => [
    `complete -c countersign -n 'test (count (commandline -opc)) -eq 1' -f -a ${quoted(word)} -d ${quoted(summary)}`,
    ...members.map(
      (one) =>
        `complete -c countersign -n ${quoted(`__countersign_at ${word}`)} -f -a ${quoted(one.word)} -d ${quoted(one.summary)}`,
    ),
  ]);
  const optionLines = leaves(tree).flatMap(({ path, options }) =>
    Object.entries(options).map(([name, { type, short, help, placeholder }]) => {
      const value =
        type === 'boolean'
          ? ''
          : placeholder?.endsWith('FILE') === true || placeholder === 'BODY'
            ? ' -r -F'
            : ' -x';
      const letter = short === undefined ? '' : ` -s ${short}`;
      return `complete -c countersign -n ${quoted(`__countersign_is ${path}`)} -l ${name}${letter}${value} -d ${quoted(help)}`;
    }),
  );
  const argumentLines = Object.entries(tree.firstArguments).map(
    ([path, values]) =>
      `complete -c countersign -n ${quoted(`__countersign_at ${path}`)} -f -a ${quoted(values.join(' '))}`,
  );
  return `# Completion of countersign for fish: countersign completion fish | source
function __countersign_is --description 'Whether the command line begins with these words'
  set -l typed (commandline -opc)
  set -l last (math (count $argv) + 1)
  test (count $typed) -ge $last; and test "$typed[2..$last]" = "$argv"
end
function __countersign_at --description 'Whether the command line is these words, and the next one is typed'
  test (count (commandline -opc)) -eq (math (count $argv) + 1); and __countersign_is $argv
end
${[...lines, ...optionLines, ...argumentLines].join('\n')}
`;
}

function spellings(options: OptionTable): string[] {
  return Object.keys(options).map((name) => `--${name}`);
}

/** In a form that all three shells can read. */
function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
