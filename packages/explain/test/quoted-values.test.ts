import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import { formatHttpDate } from '@countersign/signature';
import type { Finding, RequestToExplain } from '../src/index.ts';
import { candidates, created, explained, nowSeconds } from './mistaken-request.ts';
import { type MadeMistake, mistakesOf } from './random-mistakes.ts';
import { randomOf } from './random-requests.ts';

// Enough for every likely pair: a mistake that is not found must not be reported wrongly either.
const limits = { hypothesesMax: 12_000 };
const rounds = 20;

describe('what sentences quote', () => {
  for (const [kind, make] of Object.entries(mistakesOf))
    it(`occurs where they say: ${kind}`, () => {
      const random = randomOf(20_261_126 + kind.length);
      const untrue: string[] = [];
      for (let round = 0; round < rounds; round++) {
        const made = make(random);
        const { findings } = explained(made.request, limits);
        assert.ok(findings.length > 0, `${kind}: ${made.request.targetUri}`);
        for (const one of findings)
          for (const fault of faultsOf(one, made)) untrue.push(`${fault}: ${one.what} | ${one.mend}`);
      }
      assert.deepEqual(untrue, []);
    });

  it('is missed by the test if it is changed, so the test reads it', () => {
    const random = randomOf(7);
    let read = 0;
    for (const make of Object.values(mistakesOf)) {
      const made = make(random);
      for (const one of explained(made.request, limits).findings)
        for (const what of spoiled(one.what)) if (faultsOf({ ...one, what }, made).length > 0) read++;
    }
    assert.ok(read > 50, `${read} changed values were noticed`);
  });
});

/** The sentence with one of its values changed, for each of them. */
function spoiled(what: string): readonly string[] {
  return [...what.matchAll(/[\w.%/+-]*\d[\w.%/+-]*/g)].map(
    ({ index, 0: value }) =>
      what.slice(0, index) +
      value.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)) +
      what.slice(index + value.length),
  );
}

function faultsOf(finding: Finding, made: MadeMistake): readonly string[] {
  return [
    ...evidenceFaults(finding, made),
    ...sideFaults(finding, made),
    ...valueFaults(finding, made),
    ...timeFaults(finding, made),
    ...sizeFaults(finding, made),
  ];
}

/** Evidence shows what was signed or hashed, what the service expects, and where they first differ. */
function evidenceFaults(
  { code, certainty, evidence }: Finding,
  { request, signed, hashed }: MadeMistake,
): readonly string[] {
  if (!evidence) return [];
  const faults: string[] = [];
  const { expected, received, firstDifference } = evidence;
  const length = Math.min(expected.length, received.length);
  let first = 0;
  while (first < length && expected[first] === received[first]) first++;
  if (first !== firstDifference && code !== 'signature_input_format')
    faults.push(`differs first at ${first}, not ${firstDifference}`);
  if (certainty !== 'proven') return faults;
  const body = textOf(request);
  const isOfBase = /^"?@?[a-z-]+"?: /.test(expected);
  if (isOfBase && !expectedBase(request).includes(expected))
    faults.push('expected is not in the base of the service');
  if (isOfBase && !signed.includes(received) && !hasSameLine(signed, received))
    faults.push('received was not signed');
  if (code.startsWith('body_') && expected !== body) faults.push('expected is not the body');
  if (code.startsWith('body_') && received !== hashed) faults.push('received was not hashed');
  return faults;
}

/** A line of the signed base is shown as it would be in lines of its own, whatever joins and ends them. */
function hasSameLine(signed: string, line: string): boolean {
  const [, value = ''] = /^"?@?[a-z-]+"?: ?(.*)$/is.exec(line) ?? [];
  return signed.includes(value) || signed.toLowerCase().includes(value.toLowerCase());
}

/** Says of both sides that are quoted whether each is where the sentence says. */
function sideFaults(
  { what, certainty }: Finding,
  { request, signed, hashed }: MadeMistake,
): readonly string[] {
  if (certainty !== 'proven') return [];
  const base = expectedBase(request);
  const faults: string[] = [];
  const ofSigned =
    /^You signed (?:the (?:URL|path|query|host|scheme|method|Date|Content-Digest) |the line )?(.*), but (?:the query )?(.*) arrived(?: in Signature-Input|, with(?:out)? .* in front|: .*)?\./s.exec(
      what,
    );
  if (ofSigned) {
    const was = withoutNote(ofSigned[1]!);
    if (!isPlain(was) && !occurs(was, signed)) faults.push(`${was} was not signed`);
    const is = withoutNote(ofSigned[2]!);
    if (!isPlain(is) && !occurs(is, base)) faults.push(`${is} did not arrive`);
  }
  const placed = /^You signed (\S+) where (\S+) arrived: /.exec(what);
  if (placed && !isPlain(placed[1]!) && !signed.includes(placed[1]!))
    faults.push(`${placed[1]} was not signed`);
  if (placed && !isPlain(placed[2]!) && !base.includes(placed[2]!))
    faults.push(`${placed[2]} did not arrive`);
  const starts =
    /^You signed a URL that starts with (\S+), but the one that arrived starts with (\S+)\.$/.exec(what);
  if (starts && !signed.includes(`: ${starts[1]}`)) faults.push('no URL with that start was signed');
  if (starts && !request.targetUri.startsWith(starts[2]!)) faults.push('no URL with that start arrived');
  const space = /^You signed the URL with (.*) before (.*)\.$/s.exec(what);
  if (space && !signed.includes(spaces[space[1]!]! + space[2]!.replace(/…$/, '')))
    faults.push('there is no such space in the URL');
  const ofHashed = /.*, but (.*) arrived\.$/s.exec(what);
  if (/hashed/.test(what) && ofHashed && !occurs(unmarked(ofHashed[1]!), textOf(request)))
    faults.push(`${ofHashed[1]} is not in the body`);
  for (const [, other = '', own = ''] of what.startsWith('You hashed')
    ? what.matchAll(/(?:with |, )(\S+) in place of (\S+?)(?=,| and|$)/g)
    : []) {
    if (!/^(?:U\+|each)/.test(other) && !hashed.includes(other)) faults.push(`${other} was not hashed`);
    if (!/^(?:U\+|each)/.test(own) && !textOf(request).includes(own))
      faults.push(`${own} is not in the body`);
  }
  return faults;
}

const spaces: Readonly<Record<string, string>> = {
  'a space': ' ',
  'a newline': '\n',
  CRLF: '\r\n',
  'a tab': '\t',
  'a newline and 2 spaces': '\n  ',
  'a newline and 4 spaces': '\n    ',
};

function isPlain(text: string): boolean {
  return /^(?:nothing|no query|no path)$/.test(text);
}

function withoutNote(text: string): string {
  return text
    .replace(/^`|`$/g, '')
    .replace(/` \([^()]*\)$/, '')
    .replace(/ \([^()]*\)$/, '')
    .replace(/^the service expects `/, '');
}

function unmarked(text: string): string {
  return text
    .replaceAll('<LF>', '\n')
    .replaceAll('<CR>', '\r')
    .replaceAll('<TAB>', '\t')
    .replaceAll('<SP>', ' ');
}

/** Whether the parts of a shortened text occur in this order. */
function occurs(shown: string, text: string): boolean {
  let from = 0;
  return shown.split('…').every((part) => {
    const index = text.indexOf(part, from);
    from = index + part.length;
    return index >= 0;
  });
}

/** URLs, dates, hashes and long numbers come from the request, from the signed or hashed text, or from the keys. */
function valueFaults({ what, mend }: Finding, { request, signed, hashed }: MadeMistake): readonly string[] {
  const headers = request.headers.map(([name, value]) => `${name}: ${value}`).join('\n');
  const seconds = [created, nowSeconds];
  const known = [
    request.method,
    request.targetUri,
    headers,
    textOf(request),
    hashed,
    signed,
    JSON.stringify(candidates),
    hash('sha256', request.body ?? new Uint8Array(), 'base64'),
    ...seconds.map(formatHttpDate),
    ...createdOf(request).map(formatHttpDate),
    ...createdOf(request).map(String),
  ].join('\n');
  const quoted = [what, mend].flatMap((sentence) => [
    ...(sentence.match(/https?:\/\/[^\s),`…]+/g) ?? []),
    ...(sentence.match(/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/g) ?? []),
    ...(sentence.match(/(?<![\w/+=])[A-Za-z0-9+/]{40,}={0,2}/g) ?? []),
    ...(sentence.match(/(?<![\d.,:-])\d{9,}(?![\d ]* s\))/g) ?? []),
  ]);
  return quoted
    .map((value) => value.replace(/[.:;]$/, ''))
    .filter((value) => value !== 'Tue, 20 Apr 2021 02:07:55 GMT')
    .filter((value) => !known.includes(value))
    .map((value) => `${value} is nowhere`);
}

/** Distances between times, from the times themselves. */
function timeFaults({ what }: Finding, { request }: MadeMistake): readonly string[] {
  const [at = Number.NaN] = createdOf(request);
  const ofClock =
    /(created is|created and Date are|Date is) [^()]*?(?:\((\d+) s\)|(\d+) s) (ahead of|behind) the service's clock/.exec(
      what,
    );
  if (ofClock) {
    const told = Number(ofClock[2] ?? ofClock[3]) * (ofClock[4] === 'behind' ? -1 : 1);
    if (told !== at - nowSeconds) return [`created is ${at - nowSeconds} s from the clock`];
  }
  const ofDate = /: (.*) is [^()]*?(?:\((\d+) s\)|(\d+) s) (ahead of|behind) created/.exec(what);
  if (!ofDate) return [];
  const told = Number(ofDate[2] ?? ofDate[3]) * (ofDate[4] === 'behind' ? -1 : 1);
  const apart = Date.parse(ofDate[1]!) / 1000 - at;
  return told === apart ? [] : [`Date is ${apart} s from created`];
}

/** Counts of bytes, and the place of the signature among others. */
function sizeFaults({ what }: Finding, { request, signature }: MadeMistake): readonly string[] {
  const faults: string[] = [];
  const received = /We received (\d+) bytes?/.exec(what)?.[1];
  if (received !== undefined && Number(received) !== request.body?.length)
    faults.push('other bytes were received');
  const header = request.headers.find(([name]) => name === 'Signature')?.[1] ?? '';
  const sent = Buffer.from(/^sig=:([A-Za-z0-9+/]*={0,2}):$/.exec(header)?.[1] ?? '', 'base64');
  const inside = / bytes (\d+) to (\d+) of (\d+)\.$/.exec(what);
  if (inside) {
    const [start, end, whole] = inside.slice(1).map(Number) as [number, number, number];
    if (whole !== sent.length || !sent.subarray(start, end + 1).equals(signature))
      faults.push('the signature is elsewhere');
  }
  const first = /the first (\d+) bytes of (\d+)\.$/.exec(what);
  if (first && (Number(first[2]) !== sent.length || !sent.subarray(0, Number(first[1])).equals(signature)))
    faults.push('the signature is not first');
  const holds = /^The Signature header holds (\d+) bytes, which are the (\d+) bytes/.exec(what);
  if (holds && (Number(holds[1]) !== sent.length || Number(holds[2]) !== signature.length))
    faults.push('other sizes');
  const has = /^The signature has (\d+) bytes/.exec(what);
  if (has && Number(has[1]) !== sent.length) faults.push('the signature has another size');
  return faults;
}

function createdOf({ headers }: RequestToExplain): readonly number[] {
  const input = headers.find(([name]) => name === 'Signature-Input')?.[1] ?? '';
  const [, seconds] = /;created="?(\d{9,10})/.exec(input) ?? [];
  return seconds === undefined ? [] : [Number(seconds)];
}

function textOf({ body }: RequestToExplain): string {
  return Buffer.from(body ?? []).toString();
}

/** The base that a service builds from the received request, line by line. */
function expectedBase({ method, targetUri, headers }: RequestToExplain): string {
  const valueOf = (name: string): string => headers.find(([own]) => own.toLowerCase() === name)?.[1] ?? '';
  const params = valueOf('signature-input').replace(/^\w+=/, '');
  return [
    `"@method": ${method}`,
    `"@target-uri": ${targetUri}`,
    ...(params.includes('"content-digest"') ? [`"content-digest": ${valueOf('content-digest')}`] : []),
    ...(params.includes('"date"') ? [`"date": ${valueOf('date')}`] : []),
    `"@signature-params": ${params}`,
  ].join('\n');
}
