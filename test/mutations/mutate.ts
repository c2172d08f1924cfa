import { headText, type Message, messageFrom } from './message.ts';
import type { Random } from './random.ts';

/** A random change. */
export type Mutation = (message: Message, random: Random) => Message;

/**
 * Applies one to three random changes.
 *
 * @param more changes besides those of any text; every fourth one is among them
 */
export function mutate(message: Message, random: Random, more: readonly Mutation[]): Message {
  let changed = message;
  for (let count = 1 + random.below(3); count > 0; count--)
    changed = random.pick(random.below(4) === 0 ? more : mutations)(changed, random);
  return changed;
}

const interesting = [
  '\0',
  '\n',
  '\r\n',
  ' ',
  '\t',
  '"',
  '\\',
  ';',
  ',',
  '=',
  ':',
  '(',
  ')',
  '?1',
  '-',
  '_',
  '%',
  '#',
  '\u00e9',
  'sig',
  '00',
  '{',
  "'",
];

const mutations: readonly Mutation[] = [
  inHead(replaceCharacter),
  inHead(insert),
  inHead(remove),
  inHead(duplicateRange),
  inHead(changeCase),
  inBody(replaceCharacter),
  inBody(insert),
  inBody(remove),
  inField(replaceCharacter),
  inField(insert),
  inField(remove),
  inField(duplicateRange),
  inField(padBase64Differently),
  repeatLine,
  dropLine,
  swapLines,
  swapParameters,
];

type TextMutation = (text: string, random: Random) => string;

function inHead(mutation: TextMutation): Mutation {
  return (message, random) => messageFrom(mutation(headText(message), random), message.body);
}

function inBody(mutation: TextMutation): Mutation {
  return (message, random) => ({ ...message, body: mutation(message.body, random) });
}

function inField(mutation: TextMutation): Mutation {
  return (message, random) => {
    const index = random.below(Math.max(1, message.headers.length));
    const headers = message.headers.map(([name, value], position) =>
      position === index ? ([name, mutation(value, random)] as const) : ([name, value] as const),
    );
    return { ...message, headers };
  };
}

function replaceCharacter(text: string, random: Random): string {
  if (text === '') return text;
  const index = random.below(text.length);
  return text.slice(0, index) + String.fromCharCode(random.below(256)) + text.slice(index + 1);
}

function insert(text: string, random: Random): string {
  const index = random.below(text.length + 1);
  return text.slice(0, index) + random.pick(interesting) + text.slice(index);
}

function remove(text: string, random: Random): string {
  const index = random.below(text.length + 1);
  return text.slice(0, index) + text.slice(index + 1 + random.below(4));
}

function duplicateRange(text: string, random: Random): string {
  const start = random.below(text.length + 1);
  const end = start + random.below(40);
  return text.slice(0, end) + text.slice(start, end) + text.slice(end);
}

function changeCase(text: string, random: Random): string {
  const index = random.below(text.length + 1);
  const character = text.charAt(index);
  const changed = character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase();
  return text.slice(0, index) + changed + text.slice(index + 1);
}

/** Texts that a lenient Base64 decoder reads as the same bytes. */
function padBase64Differently(text: string, random: Random): string {
  return random.pick([
    () => text.replace(/=+:/, ':'),
    () => text.replace(/=:/, '==:'),
    () =>
      text.replace(
        /([A-Za-z0-9+/])(=+:)/,
        (_, last: string, end: string) => String.fromCharCode(last.charCodeAt(0) + 1) + end,
      ),
    () => text.replaceAll('+', '-').replaceAll('/', '_'),
    () => text.replace(/:(.{8})/, ':$1 '),
  ])();
}

function repeatLine(message: Message, random: Random): Message {
  const line = random.pick(message.headers);
  if (!line) return message;
  const headers = [...message.headers];
  headers.splice(random.below(headers.length + 1), 0, line);
  return { ...message, headers };
}

function dropLine(message: Message, random: Random): Message {
  return { ...message, headers: message.headers.toSpliced(random.below(message.headers.length + 1), 1) };
}

function swapLines(message: Message, random: Random): Message {
  const headers = [...message.headers];
  const one = random.below(Math.max(1, headers.length));
  const other = random.below(Math.max(1, headers.length));
  if (headers[one] && headers[other]) [headers[one], headers[other]] = [headers[other], headers[one]];
  return { ...message, headers };
}

function swapParameters(message: Message, random: Random): Message {
  const headers = message.headers.map(([name, value]) => {
    if (!name.toLowerCase().startsWith('signature-input')) return [name, value] as const;
    const [list = '', ...parameters] = value.split(';');
    parameters.sort(() => random.below(3) - 1);
    return [name, [list, ...parameters].join(';')] as const;
  });
  return { ...message, headers };
}
