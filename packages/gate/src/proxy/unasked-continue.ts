import type { Socket } from 'node:net';

/** Scans an upstream's bytes for a `100 Continue`. */
export interface AnswerWatch {
  /** Signals that the next bytes begin a response. */
  expectAnswer(): void;
}

/**
 * Makes undici skip a `100 Continue` that was not requested, as it skips other interim responses (RFC 9110
 * section 15.2). Otherwise undici would close the connection, and some servers send one before every
 * response. The code is changed to 102 in place, so the parser still sees the same number of bytes, and the
 * limit on interim responses still counts it.
 */
export function skipUnaskedContinue(socket: Socket): AnswerWatch {
  const state: WatchState = { place: 'elsewhere', text: '' };
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    const chunk: unknown = read(size);
    if (state.place !== 'elsewhere' && Buffer.isBuffer(chunk)) rewrite(chunk, state);
    return chunk;
  };
  return {
    expectAnswer() {
      state.place = 'status line';
      state.text = '';
    },
  };
}

interface WatchState {
  /** `elsewhere` after the first final response. */
  place: 'status line' | 'interim head' | 'elsewhere';
  /** The end of the text that was read in that state. */
  text: string;
}

const protocol = 'HTTP/1.1 ';
const continueLine = 'HTTP/1.1 100';
/** After 101 there is another protocol. */
const interimLine = /^HTTP\/1\.1 1(?!01)\d\d$/;
const headEnd = '\r\n\r\n';

function rewrite(chunk: Buffer, state: WatchState): void {
  if (state.text === '' && state.place === 'status line' && beginsFinalAnswer(chunk)) {
    state.place = 'elsewhere';
    return;
  }
  for (let index = 0; index < chunk.length && state.place !== 'elsewhere'; index++) {
    const character = String.fromCharCode(chunk[index]!);
    if (state.place === 'interim head') readInterimHead(character, state);
    else if (readStatusLine(character, state)) chunk[index] = '2'.charCodeAt(0);
  }
}

/** Recognizes nearly every response at once: the first digit of its status is not 1. */
function beginsFinalAnswer(chunk: Buffer): boolean {
  const digit = chunk[protocol.length]! - '0'.charCodeAt(0);
  return (
    chunk.length > protocol.length && digit !== 1 && chunk.toString('latin1', 0, protocol.length) === protocol
  );
}

/** Returns true at the last digit of 100. */
function readStatusLine(character: string, state: WatchState): boolean {
  // Parsers skip empty lines before a message.
  if (state.text === '' && (character === '\r' || character === '\n')) return false;
  state.text += character;
  if (state.text.length < continueLine.length) return false;
  const isContinue = state.text === continueLine;
  state.place = interimLine.test(state.text) ? 'interim head' : 'elsewhere';
  state.text = '';
  return isContinue;
}

function readInterimHead(character: string, state: WatchState): void {
  state.text = (state.text + character).slice(-headEnd.length);
  if (state.text !== headEnd) return;
  state.place = 'status line';
  state.text = '';
}
