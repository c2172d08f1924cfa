import type { CommandDescription, OptionDescription } from '../arguments/options.ts';
import { usageLine } from '../arguments/read-arguments.ts';
import { exits } from '../exits.ts';
import { wrapped } from './layout.ts';

export function helpOf(command: CommandDescription): string {
  const { summary, notes = [], examples } = command;
  const argumentLines = command.arguments.map(({ name, help }) => entry(name, help)).join('');
  const optionLines = Object.entries(command.options)
    .map(([name, option]) => entry(optionSpelling(name, option), option.help))
    .join('');
  return [
    `${usageLine(command)}\n`,
    wrapped(summary, '  '),
    ...(argumentLines === '' ? [] : [`Arguments\n${argumentLines}`]),
    `Options\n${optionLines}`,
    ...(notes.length === 0 ? [] : [notes.map((note) => wrapped(note, '')).join('\n')]),
    `Examples\n${examples.map(({ what, line }) => `  # ${what}\n  ${line}\n`).join('\n')}`,
    exitCodesText(),
  ].join('\n');
}

export function helpOfAll(commands: readonly CommandDescription[]): string {
  return [
    'countersign COMMAND [options]\n',
    wrapped(
      "Creates keys; signs, sends, verifies and explains RFC 9421 signed requests; and manages a service's clients.",
      '  ',
    ),
    commandLines(commands),
    `Options\n${entry('-h, --help', 'Show this help; after a command, its options and examples.')}${entry('--version', 'Show the version.')}`,
    [
      'Examples',
      '  # create a key pair and print what to register',
      '  countersign keygen',
      '',
      '  # send a signed request with the demo client of npm start',
      '  countersign request GET /v1/whoami',
      '',
    ].join('\n'),
    environmentText,
    exitCodesText(),
  ].join('\n');
}

export function helpOfGroup(group: string, members: readonly CommandDescription[]): string {
  const [first] = members;
  return `countersign ${group} …\n\n${commandLines(members)}\nOptions and examples: countersign ${first?.name} --help\n`;
}

function commandLines(commands: readonly CommandDescription[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 2;
  return `Commands\n${commands.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}\n`).join('')}`;
}

const environmentText = [
  'Environment',
  '  COUNTERSIGN_CLIENT_ID         for --client-id',
  '  COUNTERSIGN_PRIVATE_KEY_FILE  for --key of request and sign',
  '  COUNTERSIGN_PASSPHRASE        the passphrase of an encrypted private key',
  '  COUNTERSIGN_PROFILE           for --profile',
  '  COUNTERSIGN_BASE_URL          base URL for paths',
  '  COUNTERSIGN_DATA_FOLDER       for --data of clients and keys',
  '  NO_COLOR                      no colors, even on a terminal',
  '',
].join('\n');

function exitCodesText(): string {
  return `Exit codes\n${Object.values(exits)
    .map(({ code, meaning }) => `  ${code}  ${meaning}\n`)
    .join('')}`;
}

function optionSpelling(
  name: string,
  { short, type, placeholder = 'VALUE', multiple }: OptionDescription,
): string {
  const value = type === 'boolean' ? '' : ` ${placeholder}`;
  return `${short === undefined ? '' : `-${short}, `}--${name}${value}${multiple === true ? ' …' : ''}`;
}

function entry(name: string, help: string): string {
  return `  ${name}\n${wrapped(help, '      ')}`;
}
