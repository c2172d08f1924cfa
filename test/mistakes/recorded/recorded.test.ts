import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { findings } from '@countersign/explain';
import { readAccount } from '../corpus.ts';
import { verifierOf } from '../verdict.ts';
import { mistakeOf, readRecordedCases, type RecordedCase } from './cases.ts';
import { differencesOf } from './difference.ts';
import { type Exchange, programsOf, readExchanges } from './recording.ts';
import { isNamed, type Score, scoreOf, untrueProofsOf } from './score.ts';
import { isSetAside } from './set-aside.ts';

const cases = readRecordedCases('open');
/** Only compared and verified here, never explained. */
const aside = readRecordedCases('set-aside');
const verdictOf = verifierOf(readAccount());

describe('what real software does to signed requests', () => {
  it('has recordings of many programs, of which whole ones are set aside', () => {
    const programs = [...new Set(readExchanges().flatMap(programsOf))];
    assert.ok(programs.length >= programsMin, `${programs.length} programs`);
    const setAside = programs.filter(isSetAside);
    const share = setAside.length / programs.length;
    assert.ok(share > 0.33 && share < 0.5, `${share} of the programs are set aside`);
    const proxies = setAside.filter((program) => program.startsWith('proxy/'));
    assert.ok(proxies.length >= proxiesAsideMin, proxies.join());
    const open = new Set(all(cases).flatMap((one) => programsOf(one.exchange)));
    for (const part of ['singles', 'combinations'] as const) {
      const caseShare = aside[part].length / (aside[part].length + cases[part].length);
      assert.ok(caseShare > 0.33 && caseShare < 0.45, `${caseShare} of the ${part} are set aside`);
    }
    for (const one of all(aside))
      assert.ok(
        programsOf(one.exchange).some((program) => !open.has(program)),
        one.id,
      );
  });

  it('has requests that the verifier rejects if something changed, and accepts otherwise', () => {
    const verdict = (recorded: RecordedCase): string | undefined => verdictOf(mistakeOf(recorded));
    for (const { correct, singles, combinations } of [cases, aside]) {
      for (const one of sampleOf(correct)) assert.equal(verdict(one), undefined, one.id);
      for (const one of sampleOf([...singles, ...combinations]))
        assert.notEqual(verdict(one), undefined, one.id);
    }
  });

  it('expects findings that exist', () => {
    const known = new Set(Object.keys(findings));
    const mistakes = [...all(cases), ...all(aside)].flatMap(({ differences, slips }) => [
      ...differences,
      ...slips,
    ]);
    const expected = new Set(mistakes.map(({ codes }) => codes[0]!));
    assert.deepEqual(
      [...expected].filter((code) => !known.has(code)),
      [],
    );
  });

  it('keeps no path of the machine that recorded it', () => {
    const folder = new URL('data/', import.meta.url);
    for (const name of readdirSync(folder))
      assert.doesNotMatch(readFileSync(new URL(name, folder), 'utf8'), /\/(?:tmp|root|home|usr)\//, name);
  });

  it('names what changed', (context) => {
    const singles = sampleOf(cases.singles).map(scoreOf);
    const combinations = sampleOf(cases.combinations).map(scoreOf);
    context.diagnostic(`${shareOf(singles)} of singles, ${shareOf(combinations)} of combinations`);
    assert.ok(shareOf(singles) >= singlesNamedMin, unnamedOf(singles));
    assert.ok(shareOf(combinations) >= combinationsNamedMin, unnamedOf(combinations));
    assert.deepEqual([...singles, ...combinations].flatMap(untrueProofsOf), []);
  });

  it('finds nothing in a request that arrived as it was signed', () => {
    for (const recorded of sampleOf(cases.correct))
      assert.deepEqual([recorded.id, ...scoreOf(recorded).explanation.findings], [recorded.id]);
  });
});

const programsMin = 100;
/** Squid, Traffic Server, Envoy, Traefik, nghttpx and H2O. */
const proxiesAsideMin = 6;
const singlesNamedMin = 0.8;
const combinationsNamedMin = 0.7;
/** A sample is enough here; `npm run test:recorded` takes all. */
const sampleStep = 40;

function sampleOf(some: readonly RecordedCase[]): readonly RecordedCase[] {
  return some.filter((_, index) => index % sampleStep === 0);
}

function all({ correct, singles, combinations }: typeof cases): readonly RecordedCase[] {
  return [...correct, ...singles, ...combinations];
}

function shareOf(scores: readonly Score[]): number {
  return Math.round((scores.filter(isNamed).length / scores.length) * 1000) / 1000;
}

function unnamedOf(scores: readonly Score[]): string {
  return scores
    .flatMap(({ recorded, unnamed }) => (unnamed.length > 0 ? [`${recorded.id}: ${unnamed.join()}`] : []))
    .join('\n');
}

const api = 'https://api.countersign.example';

describe('what differs between a held and an arrived request', () => {
  const changes: readonly (readonly [held: string, arrived: string, expected: string])[] = [
    ['GET /v1', 'GET /v1', ''],
    ['get /v1', 'GET /v1', 'method: case'],
    ['GET /v1', 'HEAD /v1', 'method: other'],
    ['GET /a b', 'GET /a%20b', 'path: encoding'],
    ['GET /a%2fb', 'GET /a%2Fb', 'path: case'],
    ['GET /a/../b', 'GET /b', 'path: dot segments'],
    ['GET /a/%2e%2e/b', 'GET /b', 'path: encoding, path: dot segments'],
    ['GET /a//b', 'GET /a/b', 'path: double slash'],
    ['GET ', 'GET /', 'path: trailing slash'],
    ['GET /api/v1', 'GET /v1', 'path: other'],
    ['GET /?', 'GET /', 'query: question mark'],
    ['GET /?a=b c', 'GET /?a=b+c', 'query: encoding'],
    ['GET /?b=1&a=2', 'GET /?a=2&b=1', 'query: order'],
    ['GET /?b=1&a=x y', 'GET /?a=x+y&b=1', 'query: order, query: encoding'],
    ['GET /?a=1&a=2', 'GET /?a[0]=1&a[1]=2', 'query: other'],
    ['GET /?a=1', 'GET /', 'query: without'],
    ['GET /#x', 'GET /', 'fragment: fragment'],
    ['GET /a b?c=d e#f', 'GET /a%20b?c=d%20e', 'path: encoding, query: encoding, fragment: fragment'],
  ];
  for (const [held, arrived, expected] of changes) {
    it(`${held} → ${arrived}: ${expected || 'nothing'}`, () => {
      const [heldMethod, heldTarget] = split(held);
      const [method, target] = split(arrived);
      const change = exchange({ method: heldMethod, url: api + heldTarget }, { method, target });
      assert.equal(namesOf(change), expected);
    });
  }

  const bodies: readonly (readonly [held: string, arrived: string | { base64: string }, expected: string])[] =
    [
      ['{"a":1,"b":2}', '{"a": 1, "b": 2}', 'body: spaces'],
      ['{"a":1,"b":2}', '{"b":2,"a":1}', 'body: order'],
      ['{"10":1,"9":2}', '{"9":2,"10":1}', 'body: order'],
      ['{"a":"é"}', '{"a":"\\u00e9"}', 'body: escapes'],
      ['{"a":1.0}', '{"a":1}', 'body: numbers'],
      ['{"a":null}', '{}', 'body: members'],
      ['{"a":{}}', '{"a":[]}', 'body: members'],
      ['{"b":"/","a":1.0}', '{"a": 1, "b": "\\/"}', 'body: spaces + order + escapes + numbers'],
      ['{"a":1}', '"{\\"a\\":1}"', 'body: twice'],
      ['[object Object]', '{"a":1}', 'body: printed'],
      ["{'a': 1}", '{"a": 1}', 'body: printed'],
      ['{"a":1}', '{"a":1}\n', 'body: edge'],
      ['{\r\n}', '{\n}', 'body: line ends'],
      ['{\n"a":1}', '{"a":1}', 'body: line ends lost'],
      ['\uFEFF{}', '{}', 'body: byte order mark'],
      ['{"a":"é"}', { base64: Buffer.from('{"a":"é"}', 'latin1').toString('base64') }, 'body: charset'],
      ['a=b%20c', 'a=b+c', 'body: encoding'],
      ['a=100%', 'a=100%25', 'body: encoding'],
      ['a=100', 'a=10', 'body: cut'],
      ['{"a":1}', '', 'body: lost'],
      ['', '{"a":1}', 'body: appeared'],
    ];
  for (const [held, arrived, expected] of bodies) {
    it(`${JSON.stringify(held)} → ${JSON.stringify(arrived)}: ${expected}`, () => {
      const change = exchange({ method: 'POST', url: `${api}/`, body: held }, { target: '/', body: arrived });
      assert.equal(namesOf(change), expected);
    });
  }

  it('sees headers that were lost, repeated and changed', () => {
    const headers: Exchange['arrived']['headers'] = [['Date'], ['date'], ['Signature', 'sig=:x:']];
    const change = exchange({ method: 'GET', url: `${api}/` }, { target: '/', headers });
    assert.equal(
      namesOf(change),
      'header: date repeated, header: signature-input lost, header: signature changed',
    );
  });
});

function split(line: string): readonly [string, string] {
  const at = line.indexOf(' ');
  return [line.slice(0, at), line.slice(at + 1)];
}

function exchange(held: Exchange['held'], arrived: Partial<Exchange['arrived']>): Exchange {
  return {
    client: 'test/test',
    way: 'url',
    clock: 0,
    account: 'webshop',
    held,
    arrived: {
      method: held.method,
      target: '/',
      host: 'api.countersign.example',
      headers: [['Date'], ['Content-Digest'], ['Signature-Input'], ['Signature']],
      ...arrived,
    },
  };
}

function namesOf(change: Exchange): string {
  return differencesOf(change)
    .map(({ part, kind }) => `${part}: ${kind}`)
    .join(', ');
}
