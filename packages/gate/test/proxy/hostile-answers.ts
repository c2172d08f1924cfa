import type { Socket } from 'node:net';
import type { Behaviour } from './hostile-upstream.ts';

/** A hostile server's behaviour for one request, and the required outcome. */
export interface HostileCase {
  readonly name: string;
  /** GET unless said otherwise. */
  readonly method?: string;
  readonly body?: string;
  readonly behaviour: Behaviour;
  readonly expect: Expectation;
  /** Uses the upstream with short time-outs. */
  readonly isHasty?: true;
  /** How often the request arrives; once unless said otherwise. */
  readonly arrivals?: number;
}

/** `cut`: the head arrived, and the client sees that the response is not complete. */
export type Expectation =
  | 'cut'
  | {
      readonly status: number;
      readonly code?: string;
      readonly body?: string;
      readonly interim?: readonly number[];
    };

const failed: Expectation = { status: 502, code: 'upstream_failed' };
const unavailable: Expectation = { status: 502, code: 'upstream_unavailable' };
const late: Expectation = { status: 504, code: 'upstream_timeout' };
const good = (body = 'hello'): Expectation => ({ status: 200, body, interim: [] });

/** The ends of a script. Without one, the connection stays open. */
const fin = Symbol('FIN');
const rst = Symbol('RST');
type Piece = string | typeof fin | typeof rst;

/** Writes pieces one after the other, each once the one before it has left. */
function write(socket: Socket, [piece, ...rest]: readonly Piece[]): void {
  if (piece === undefined || socket.destroyed) return;
  if (piece === fin) socket.end();
  else if (piece === rst) socket.resetAndDestroy();
  else socket.write(piece, 'latin1', () => setImmediate(() => write(socket, rest)));
}

/** Responds to each request with these pieces. */
function sends(...pieces: readonly Piece[]): Behaviour {
  return { answer: (socket) => write(socket, pieces) };
}

/** Responds with a text, byte by byte. */
function drips(text: string): Behaviour {
  return sends(...text.split(''));
}

/** Responds with a start, then repeats the same text while the other side accepts it. */
function endless(start: string, again: string): Behaviour {
  return {
    answer: (socket) => {
      socket.write(start, 'latin1');
      const more = (): void => {
        if (!socket.destroyed) socket.write(again, 'latin1', () => setImmediate(more));
      };
      more();
    },
  };
}

const head = (...lines: readonly string[]): string => `HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\n\r\n`;
const sound = `${head('Content-Length: 5')}hello`;
const chunks = (text: string): string => head('Transfer-Encoding: chunked') + text;
const interim = (status: number): string => `HTTP/1.1 ${status} Interim\r\n\r\n`;

export const soundAnswers: readonly HostileCase[] = [
  { name: 'Content-Length', behaviour: sends(sound), expect: good() },
  { name: 'Content-Length, byte by byte', behaviour: drips(sound), expect: good() },
  { name: 'Content-Length and FIN', behaviour: sends(sound, fin), expect: good() },
  { name: 'chunked', behaviour: sends(chunks('5\r\nhello\r\n0\r\n\r\n')), expect: good() },
  {
    name: 'chunked, byte by byte',
    behaviour: drips(chunks('2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n')),
    expect: good(),
  },
  {
    name: 'chunk sizes with leading zeros',
    behaviour: sends(chunks('0005\r\nhello\r\n000\r\n\r\n')),
    expect: good(),
  },
  {
    name: 'chunk extensions',
    behaviour: sends(chunks('5;a=b;c="d"\r\nhello\r\n0;x\r\n\r\n')),
    expect: good(),
  },
  {
    name: 'trailers, which are dropped',
    behaviour: sends(chunks('5\r\nhello\r\n0\r\nSignature: x\r\n\r\n')),
    expect: good(),
  },
  {
    name: 'trailers that look like framing',
    behaviour: sends(chunks('5\r\nhello\r\n0\r\nTransfer-Encoding: gzip\r\nConnection: close\r\n\r\n')),
    expect: good(),
  },
  { name: 'ends with its connection', behaviour: sends(`${head('X: y')}hello`, fin), expect: good() },
  { name: 'HTTP/1.0', behaviour: sends('HTTP/1.0 200 OK\r\n\r\nhello', fin), expect: good() },
  {
    name: 'HTTP/1.0 with keep-alive',
    behaviour: sends('HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello'),
    expect: good(),
  },
  { name: 'no reason', behaviour: sends('HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello'), expect: good() },
  { name: 'empty lines before it', behaviour: sends(`\r\n\r\n${sound}`), expect: good() },
  {
    name: 'a field that Connection names is dropped, the length is not',
    behaviour: sends(
      `${head('Connection: X-Inner, Content-Length', 'X-Inner: a', 'Content-Length: 5')}hello`,
    ),
    expect: good(),
  },
  {
    name: 'the last status',
    behaviour: sends(sound.replace('200', '599')),
    expect: { status: 599, body: 'hello' },
  },
  {
    name: 'a redirect is passed on and not followed',
    behaviour: sends('HTTP/1.1 307 No\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n'),
    expect: { status: 307, body: '' },
  },
  { name: '204', behaviour: sends('HTTP/1.1 204 None\r\n\r\n'), expect: { status: 204, body: '' } },
  {
    name: '204 with a length and a body',
    behaviour: sends('HTTP/1.1 204 None\r\nContent-Length: 5\r\n\r\nhello'),
    expect: { status: 204, body: '' },
  },
  {
    name: '204 with an unannounced answer behind it',
    behaviour: sends(`HTTP/1.1 204 None\r\n\r\n${sound.replace('hello', 'EVIL!')}`),
    expect: { status: 204, body: '' },
  },
  {
    name: '304 with a length, as it may have',
    behaviour: sends('HTTP/1.1 304 Same\r\nContent-Length: 5\r\n\r\n'),
    expect: { status: 304, body: '' },
  },
  {
    name: '304 with chunks',
    behaviour: sends('HTTP/1.1 304 Same\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'),
    expect: { status: 304, body: '' },
  },
  {
    name: 'HEAD with a length',
    method: 'HEAD',
    behaviour: sends(head('Content-Length: 5')),
    expect: { status: 200, body: '' },
  },
  { name: 'HEAD with a body', method: 'HEAD', behaviour: sends(sound), expect: { status: 200, body: '' } },
  {
    name: 'HEAD with a whole answer as its body',
    method: 'HEAD',
    behaviour: sends(head(`Content-Length: ${sound.length}`) + sound),
    expect: { status: 200, body: '' },
  },
];

export const interimAnswers: readonly HostileCase[] = [
  { name: '100 that nobody asked for', behaviour: sends(interim(100) + sound), expect: good() },
  { name: '100, then a pause, then the answer', behaviour: sends(interim(100), sound), expect: good() },
  { name: '100 byte by byte', behaviour: drips(interim(100) + sound), expect: good() },
  {
    name: '100 with fields',
    behaviour: sends(`HTTP/1.1 100 Go\r\nX: HTTP/1.1 100\r\n\r\n${sound}`),
    expect: good(),
  },
  {
    name: '100 from HTTP/1.0, which has none',
    behaviour: sends(`HTTP/1.0 100 Go\r\n\r\n${sound}`),
    expect: failed,
  },
  { name: '100 three times', behaviour: sends(interim(100).repeat(3) + sound), expect: good() },
  {
    name: '100 for a POST',
    method: 'POST',
    body: 'x',
    behaviour: sends(interim(100) + sound),
    expect: good(),
  },
  {
    name: '100, 102 and 100',
    behaviour: sends(interim(100) + interim(102) + interim(100) + sound),
    expect: good(),
  },
  {
    name: '100 in the body stays as it is',
    behaviour: sends(`${head('Content-Length: 25')}HTTP/1.1 100 Continue\r\n\r\n`),
    expect: good('HTTP/1.1 100 Continue\r\n\r\n'),
  },
  {
    name: '100 before a bad answer',
    behaviour: sends(`${interim(100)}HTTP/1.1 1000 X\r\n\r\n`),
    expect: failed,
  },
  { name: '100 and FIN', behaviour: sends(interim(100), fin), expect: failed },
  { name: '100 and RST', behaviour: sends(interim(100), rst), expect: failed },
  { name: '102', behaviour: sends(interim(102) + sound), expect: good() },
  { name: '199', behaviour: sends(interim(199) + sound), expect: good() },
  {
    name: '103 with links, which is passed on',
    behaviour: sends(`HTTP/1.1 103 Early\r\nLink: </a.css>; rel=preload\r\n\r\n${sound}`),
    expect: { status: 200, body: 'hello', interim: [103] },
  },
  { name: '103 without links', behaviour: sends(interim(103) + sound), expect: good() },
  {
    name: '103 with a link that tries to add a line',
    behaviour: sends(`HTTP/1.1 103 Early\r\nLink: <a>\x01; rel=preload\r\n\r\n${sound}`),
    expect: failed,
  },
  { name: '103 and FIN: a GET is not repeated', behaviour: sends(interim(103), fin), expect: failed },
  { name: '32 interim answers', behaviour: sends(interim(102).repeat(32) + sound), expect: good() },
  { name: '33 interim answers', behaviour: sends(interim(102).repeat(33) + sound), expect: failed },
  { name: 'a flood of 100', behaviour: endless('', interim(100).repeat(100)), expect: failed },
  {
    name: 'a flood of 103',
    behaviour: endless('', 'HTTP/1.1 103 E\r\nLink: <a>\r\n\r\n'.repeat(100)),
    expect: failed,
  },
  {
    name: '101 that nobody asked for',
    behaviour: sends('HTTP/1.1 101 Switch\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nbytes'),
    expect: failed,
  },
  { name: '101 without Upgrade', behaviour: sends(interim(101) + sound), expect: failed },
];

export const unsoundHeads: readonly HostileCase[] = [
  {
    name: 'FIN without a byte, for a POST',
    method: 'POST',
    body: 'x',
    behaviour: sends(fin),
    expect: failed,
  },
  {
    name: 'RST without a byte, for a POST',
    method: 'POST',
    body: 'x',
    behaviour: sends(rst),
    expect: failed,
  },
  { name: 'FIN without a byte: a GET is repeated once', behaviour: sends(fin), expect: failed, arrivals: 2 },
  { name: 'RST without a byte: a GET is repeated once', behaviour: sends(rst), expect: failed, arrivals: 2 },
  {
    name: 'RST without a byte: a HEAD is repeated once',
    method: 'HEAD',
    behaviour: sends(rst),
    expect: { status: 502 },
    arrivals: 2,
  },
  { name: 'FIN without a byte, for a DELETE', method: 'DELETE', behaviour: sends(fin), expect: failed },
  { name: 'one byte and FIN: a GET is not repeated', behaviour: sends('H', fin), expect: failed },
  {
    name: 'half a head and RST: a GET is not repeated',
    behaviour: sends('HTTP/1.1 200 OK\r\nX: ', rst),
    expect: failed,
  },
  { name: 'words', behaviour: sends('hello\r\n'), expect: failed },
  { name: 'HTTP/0.9', behaviour: sends('<html></html>', fin), expect: failed },
  { name: 'another protocol', behaviour: sends('SSH-2.0-OpenSSH_9.2\r\n'), expect: failed },
  { name: 'a TLS alert', behaviour: sends('\x15\x03\x01\x00\x02\x02\x46', fin), expect: failed },
  { name: 'zeros', behaviour: sends('\0'.repeat(64)), expect: failed },
  { name: 'a request', behaviour: sends('GET / HTTP/1.1\r\nHost: a\r\n\r\n'), expect: failed },
  { name: 'ICY', behaviour: sends(sound.replace('HTTP/1.1', 'ICY')), expect: failed },
  { name: 'HTTP in lower case', behaviour: sends(sound.replace('HTTP', 'http')), expect: failed },
  { name: 'HTTP/1.2', behaviour: sends(sound.replace('1.1', '1.2')), expect: failed },
  { name: 'HTTP/11.1', behaviour: sends(sound.replace('1.1', '11.1')), expect: failed },
  { name: 'a word as status', behaviour: sends(sound.replace('200', 'two')), expect: failed },
  { name: 'a status of two digits', behaviour: sends(sound.replace('200', '20')), expect: failed },
  { name: 'a status of four digits', behaviour: sends(sound.replace('200', '2000')), expect: failed },
  { name: 'a status below 100', behaviour: sends(sound.replace('200', '099')), expect: failed },
  { name: 'a status above 599', behaviour: sends(sound.replace('200', '600')), expect: failed },
  { name: 'two spaces before the status', behaviour: sends(sound.replace(' 200', '  200')), expect: failed },
  {
    name: 'NUL in the reason, which is dropped',
    behaviour: sends(sound.replace('OK', 'O\0K')),
    expect: good(),
  },
  { name: 'lines that end in LF alone', behaviour: sends(sound.replaceAll('\r\n', '\n')), expect: failed },
  { name: 'lines that end in CR alone', behaviour: sends(sound.replaceAll('\r\n', '\r')), expect: failed },
  {
    name: 'NUL in a value',
    behaviour: sends(`${head('X: a\0b', 'Content-Length: 5')}hello`),
    expect: failed,
  },
  { name: 'NUL in a name', behaviour: sends(`${head('X\0Y: a', 'Content-Length: 5')}hello`), expect: failed },
  {
    name: 'CR in a value',
    behaviour: sends(`${head('X: a\rSet-Cookie: b', 'Content-Length: 5')}hello`),
    expect: failed,
  },
  {
    name: 'LF in a value',
    behaviour: sends(`${head('X: a\nSet-Cookie: b', 'Content-Length: 5')}hello`),
    expect: failed,
  },
  {
    name: 'a folded line',
    behaviour: sends(`${head('X: a', ' b', 'Content-Length: 5')}hello`),
    expect: failed,
  },
  {
    name: 'a folded first line',
    behaviour: sends(`${head(' X: a', 'Content-Length: 5')}hello`),
    expect: failed,
  },
  {
    name: 'a space before the colon',
    behaviour: sends(`${head('Content-Length : 5')}hello`),
    expect: failed,
  },
  { name: 'an empty name', behaviour: sends(`${head(': a', 'Content-Length: 5')}hello`), expect: failed },
  {
    name: 'a line without a colon',
    behaviour: sends(`${head('X', 'Content-Length: 5')}hello`),
    expect: failed,
  },
  { name: 'a head above the limit', behaviour: sends(head(`X: ${'a'.repeat(70_000)}`)), expect: failed },
  {
    name: 'a value without an end',
    behaviour: endless('HTTP/1.1 200 OK\r\nX: ', 'a'.repeat(10_000)),
    expect: failed,
  },
  {
    name: 'fields without an end',
    behaviour: endless('HTTP/1.1 200 OK\r\n', 'X: y\r\n'.repeat(1000)),
    expect: failed,
  },
  {
    name: 'a name without an end',
    behaviour: endless('HTTP/1.1 200 OK\r\n', 'a'.repeat(10_000)),
    expect: failed,
  },
];

export const unsoundLengths: readonly HostileCase[] = [
  ...[
    ['two lengths', 'Content-Length: 5', 'Content-Length: 4'],
    ['the same length twice', 'Content-Length: 5', 'Content-Length: 5'],
    ['a list of lengths', 'Content-Length: 5, 5'],
    ['a length with a sign', 'Content-Length: +5'],
    ['a negative length', 'Content-Length: -5'],
    ['a hexadecimal length', 'Content-Length: 0x5'],
    ['a length with a fraction', 'Content-Length: 5.0'],
    ['a length with two numbers', 'Content-Length: 5 5'],
    ['an empty length', 'Content-Length:'],
    ['a length beyond 64 bits', 'Content-Length: 18446744073709551621'],
    ['a length and chunks', 'Content-Length: 5', 'Transfer-Encoding: chunked'],
    ['chunks and a length', 'Transfer-Encoding: chunked', 'Content-Length: 5'],
  ].map(([name, ...lines]): HostileCase => ({
    name: name!,
    behaviour: sends(`${head(...lines)}hello`),
    expect: failed,
  })),
  ...[
    'gzip',
    'gzip, chunked',
    'chunked, gzip',
    'identity',
    'identity, chunked',
    'xchunked',
    'chunked, chunked',
    '"chunked"',
  ].map((coding): HostileCase => ({
    name: `Transfer-Encoding: ${coding}`,
    behaviour: sends(`${head(`Transfer-Encoding: ${coding}`)}5\r\nhello\r\n0\r\n\r\n`, fin),
    expect: failed,
  })),
  {
    name: 'Transfer-Encoding twice',
    behaviour: sends(
      `${head('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked')}5\r\nhello\r\n0\r\n\r\n`,
      fin,
    ),
    expect: failed,
  },
  {
    name: 'fewer bytes than announced, and FIN',
    behaviour: sends(`${head('Content-Length: 9')}hello`, fin),
    expect: 'cut',
  },
  { name: 'more bytes than announced', behaviour: sends(`${sound} and more`), expect: good() },
  {
    name: 'another answer behind it',
    behaviour: sends(sound + sound.replace('hello', 'EVIL!')),
    expect: good(),
  },
  {
    name: 'another answer behind the last chunk',
    behaviour: sends(chunks('5\r\nhello\r\n0\r\n\r\n') + sound.replace('hello', 'EVIL!')),
    expect: good(),
  },
  ...[
    ['a chunk size that is no number', 'G\r\nhello\r\n0\r\n\r\n'],
    ['no chunk size', '\r\nhello\r\n0\r\n\r\n'],
    ['a negative chunk size', '-5\r\nhello\r\n0\r\n\r\n'],
    ['a chunk size with 0x', '0x5\r\nhello\r\n0\r\n\r\n'],
    ['a chunk size beyond 64 bits', '10000000000000005\r\nhello\r\n0\r\n\r\n'],
    ['a chunk size with a space before it', ' 5\r\nhello\r\n0\r\n\r\n'],
    ['a chunk shorter than its size', '6\r\nhello\r\n0\r\n\r\n'],
    ['a chunk longer than its size', '4\r\nhello\r\n0\r\n\r\n'],
    ['LF behind a chunk size', '5\nhello\r\n0\r\n\r\n'],
    ['LF behind a chunk', '5\r\nhello\n0\r\n\r\n'],
    ['LF in a chunk extension', '5;a\nb\r\nhello\r\n0\r\n\r\n'],
    ['CR in a chunk extension', '5;a\rb\r\nhello\r\n0\r\n\r\n'],
    ['NUL in a chunk extension', '5;a\0b\r\nhello\r\n0\r\n\r\n'],
    ['a length in the trailers', '5\r\nhello\r\n0\r\nContent-Length: 9\r\n\r\n'],
    ['a bad trailer', '5\r\nhello\r\n0\r\nX Y: a\r\n\r\n'],
  ].map(([name, text]): HostileCase => ({ name: name!, behaviour: sends(chunks(text!)), expect: 'cut' })),
  { name: 'no last chunk, and FIN', behaviour: sends(chunks('5\r\nhello\r\n'), fin), expect: 'cut' },
  { name: 'half a last chunk, and FIN', behaviour: sends(chunks('5\r\nhello\r\n0\r\n'), fin), expect: 'cut' },
  {
    name: 'trailers without an end',
    behaviour: endless(chunks('0\r\n'), 'X: y\r\n'.repeat(1000)),
    expect: 'cut',
  },
];

export const slowAnswers: readonly HostileCase[] = [
  { name: 'nothing at all', behaviour: {}, expect: late, isHasty: true },
  {
    name: 'nothing at all, for a POST',
    method: 'POST',
    body: 'x',
    behaviour: {},
    expect: late,
    isHasty: true,
  },
  { name: 'half a head', behaviour: sends('HTTP/1.1 200 OK\r\nX: '), expect: late, isHasty: true },
  {
    name: 'a head that drips',
    behaviour: endless('HTTP/1.1 200 OK\r\nX: ', 'a'),
    expect: late,
    isHasty: true,
  },
  {
    name: 'interim answers that drip',
    behaviour: {
      answer: (socket) => {
        const timer = setInterval(() => socket.write(interim(102)), 100);
        socket.on('close', () => clearInterval(timer));
      },
    },
    expect: late,
    isHasty: true,
  },
  {
    name: 'a pause in a body with a length',
    behaviour: sends(`${head('Content-Length: 9')}hello`),
    expect: 'cut',
    isHasty: true,
  },
  { name: 'a pause in a chunk', behaviour: sends(chunks('9\r\nhello')), expect: 'cut', isHasty: true },
  {
    name: 'a pause before the last chunk',
    behaviour: sends(chunks('5\r\nhello\r\n')),
    expect: 'cut',
    isHasty: true,
  },
  {
    name: 'a pause in a body that ends with its connection',
    behaviour: sends(`${head('X: y')}hello`),
    expect: 'cut',
    isHasty: true,
  },
  {
    name: 'a head, and then nothing',
    behaviour: sends(head('Content-Length: 5')),
    expect: 'cut',
    isHasty: true,
  },
  {
    name: 'a chunk extension without an end',
    behaviour: endless(chunks('5;'), 'a'.repeat(1000)),
    expect: 'cut',
    isHasty: true,
  },
];

export const closedConnections: readonly HostileCase[] = [
  {
    name: 'FIN as soon as it is connected, for a POST',
    method: 'POST',
    body: 'x',
    behaviour: { connected: (socket) => void socket.end() },
    expect: unavailable,
    arrivals: 0,
  },
  {
    name: 'FIN once it has the head of a POST',
    method: 'POST',
    body: 'x'.repeat(100_000),
    behaviour: { head: (socket) => void socket.end(), readsNoBody: true },
    expect: failed,
    arrivals: 0,
  },
  {
    name: 'RST once it has the head of a POST',
    method: 'POST',
    body: 'x'.repeat(1_000_000),
    behaviour: { head: (socket) => void socket.resetAndDestroy(), readsNoBody: true },
    expect: failed,
    arrivals: 0,
  },
  {
    name: 'an answer before the request, and FIN',
    behaviour: { connected: (socket) => write(socket, [sound, fin]) },
    expect: unavailable,
    arrivals: 0,
  },
  {
    name: 'an early answer to a large body',
    method: 'POST',
    body: 'x'.repeat(1_000_000),
    behaviour: { head: (socket) => write(socket, [sound]), readsNoBody: true },
    expect: good(),
    arrivals: 0,
  },
  {
    name: 'an early answer to a large body, and FIN',
    method: 'PUT',
    body: 'x'.repeat(1_000_000),
    behaviour: { head: (socket) => write(socket, [sound, fin]), readsNoBody: true },
    expect: good(),
    arrivals: 0,
  },
];
