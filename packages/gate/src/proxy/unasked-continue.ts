import type { Socket } from 'node:net';

/** Watches what an upstream sends for a `100 Continue`. */
export interface AnswerWatch {
  /** Says that the next bytes begin an answer. */
  expectAnswer(): void;
}

/**
 * Makes undici skip a `100 Continue` that nobody asked for, as it skips other interim answers (RFC 9110 section 15.2).
 * It would end the connection instead, and some servers send one before every answer. The code becomes 102 as it is
 * read, so the parser still sees the same number of bytes, and the limit on interim answers still counts it.
 */
export function skipUnaskedContinue(socket: Socket): AnswerWatch {
  const state: WatchState = { place: 'elsewhere', matched: 0 };
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    const chunk: unknown = read(size);
    if (state.place !== 'elsewhere' && Buffer.isBuffer(chunk)) rewrite(chunk, state);
    return chunk;
  };
  return {
    expectAnswer() {
      state.place = 'status line';
      state.matched = 0;
    },
  };
}

interface WatchState {
  /** `elsewhere` from the first final answer on. */
  place: 'status line' | 'interim head' | 'elsewhere';
  /** How many characters of the place's pattern have come. */
  matched: number;
}

const continueLine = 'HTTP/1.1 100';
const headEnd = '\r\n\r\n';

function rewrite(chunk: Buffer, state: WatchState): void {
  for (let index = 0; index < chunk.length && state.place !== 'elsewhere'; index++) {
    const character = String.fromCharCode(chunk[index]!);
    if (state.place === 'status line') {
      if (readStatusLine(character, state)) chunk[index] = '2'.charCodeAt(0);
    } else readInterimHead(character, state);
  }
}

/** Returns true at the last digit of 100. */
function readStatusLine(character: string, state: WatchState): boolean {
  // Parsers skip empty lines before a message.
  if (state.matched === 0 && (character === '\r' || character === '\n')) return false;
  const isExpected = character === continueLine[state.matched];
  state.matched += 1;
  const isInterim = state.matched > continueLine.length - 2;
  if (isExpected && state.matched < continueLine.length) return false;
  state.place = isExpected || isInterim ? 'interim head' : 'elsewhere';
  state.matched = 0;
  return isExpected;
}

function readInterimHead(character: string, state: WatchState): void {
  if (character === headEnd[state.matched]) state.matched += 1;
  else state.matched = character === '\r' ? 1 : 0;
  if (state.matched < headEnd.length) return;
  state.place = 'status line';
  state.matched = 0;
}
