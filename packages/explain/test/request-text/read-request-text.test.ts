import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  headerValues,
  readBaseUrls,
  readRequestText,
  requestOfFields,
  RequestTextError,
  type PastedRequest,
  targetUriOf,
  withBody,
} from '../../src/request-text/index.ts';

const read = (text: string, entry?: string): Promise<PastedRequest> =>
  readRequestText(new TextEncoder().encode(text), { entry });

/** The part of a reading error that programs use. */
async function refusalOf(text: string, entry?: string): Promise<Pick<RequestTextError, 'code' | 'advice'>> {
  try {
    await read(text, entry);
  } catch (error) {
    assert.ok(error instanceof RequestTextError, String(error));
    return { code: error.code, advice: error.advice };
  }
  throw new Error('It was read.');
}

describe('texts of which no request can be read', () => {
  const cases: readonly (readonly [text: string, code: RequestTextError['code'], advice?: string])[] = [
    ['', 'unreadable'],
    [' \n', 'unreadable'],
    ['hello', 'unreadable', 'give-fields'],
    ['GET / HTTP/1.1\r\nno colon\r\n\r\n', 'unreadable', 'give-fields'],
    ['{"a":1}', 'incomplete'],
    ['[1,', 'incomplete'],
    ['curl -X POST', 'incomplete'],
    ["curl 'https://a.example/", 'incomplete'],
    ['curl https://a.example/ -d "$BODY"', 'incomplete'],
    ['curl https://a.example/ -d @body.json', 'incomplete', 'give-body-instead'],
    ['curl https://a.example/ -d @-', 'incomplete', 'give-body-instead'],
    ['curl https://a.example/ -T file', 'incomplete', 'give-body-instead'],
    ['curl https://a.example/ -F a=b', 'incomplete', 'give-verbose-output'],
  ];
  for (const [text, code, advice] of cases) {
    it(JSON.stringify(text), async () => {
      assert.deepEqual(await refusalOf(text), { code, advice });
    });
  }

  it('an entry of what is no archive', async () => {
    assert.equal((await refusalOf('curl https://a.example/', '1')).code, 'incomplete');
  });

  it('an archive of several: its requests are named, and one can be chosen', async () => {
    const entry = (url: string): unknown => ({ request: { method: 'GET', url, headers: [] } });
    const archive = JSON.stringify({
      log: { entries: [entry('https://a.example/one'), entry('https://a.example/two')] },
    });
    await assert.rejects(read(archive), (error: RequestTextError) => {
      assert.equal(error.advice, 'choose-entry');
      assert.deepEqual(error.choices, ['1  GET https://a.example/one', '2  GET https://a.example/two']);
      return true;
    });
    assert.equal((await read(archive, '2')).target, 'https://a.example/two');
    assert.equal((await read(archive, '/one')).target, 'https://a.example/one');
  });

  it('fields without a whole URL, headers without a colon, base URLs with a user', () => {
    const fields = { method: 'GET', url: '/v1/payments', headers: [], body: undefined };
    assert.throws(() => requestOfFields(fields), RequestTextError);
    assert.throws(
      () => requestOfFields({ ...fields, url: 'https://a.example/', headers: ['bad'] }),
      /"bad" is not of the form/,
    );
    assert.throws(() => readBaseUrls(['https://user:secret@a.example']), RequestTextError);
    assert.throws(
      () =>
        targetUriOf({ source: '', method: 'GET', target: '/', headers: [], body: undefined, notes: [] }, []),
      (error: RequestTextError) => error.advice === 'give-base-url',
    );
  });
});

describe('texts of which a request is read, without anything of Node', () => {
  it('HTTP with a body, its bytes as they stand', async () => {
    const text = 'POST /v1/payments HTTP/1.1\r\nHost: a.example\r\nContent-Length: 4\r\n\r\nü€'.replace(
      '4',
      '5',
    );
    const request = await read(text);
    assert.deepEqual([...request.body!], [0xc3, 0xbc, 0xe2, 0x82, 0xac]);
    assert.equal(request.method, 'POST');
    assert.equal(targetUriOf(request, []).targetUri, 'https://a.example/v1/payments');
  });

  it('a chunked body', async () => {
    const text =
      'POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n3;x=y\r\nabc\r\n0\r\n\r\n';
    assert.equal(new TextDecoder().decode((await read(text)).body), '{}abc');
  });

  it('a curl line with other scripts in a header: one character for each byte', async () => {
    const request = await read(`curl https://a.example/ -H 'X-Name: €' -d '{"a":"ü"}'`);
    assert.deepEqual(headerValues(request.headers, 'x-name'), ['\u00e2\u0082\u00ac']);
    assert.equal(new TextDecoder().decode(request.body), '{"a":"ü"}');
    assert.deepEqual(headerValues(request.headers, 'content-length'), ['10']);
  });

  it('the body of a HAR entry in Base64, also without padding', async () => {
    for (const text of ['aGk=', 'aGk']) {
      const request = { method: 'POST', url: 'https://a.example/', headers: [] };
      const postData = { text, encoding: 'base64' };
      const read1 = await read(JSON.stringify({ request: { ...request, postData } }));
      assert.equal(new TextDecoder().decode(read1.body), 'hi');
    }
  });

  it('a body that is given beside a head: the note that it is missing goes', async () => {
    const head = await read('POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 2\r\n\r\n');
    assert.deepEqual(
      head.notes.map(({ advice }) => advice),
      ['give-body'],
    );
    assert.deepEqual(withBody(head, new Uint8Array(2)).notes, []);
  });

  it('fields: the host comes from the URL, and an unknown body is not taken for none', () => {
    const url = 'https://a.example/v1';
    const fields = { method: 'GET', url, headers: ['X: y'], body: undefined };
    assert.deepEqual(requestOfFields(fields).headers, [
      ['Host', 'a.example'],
      ['X', 'y'],
    ]);
    assert.deepEqual(requestOfFields(fields).body, new Uint8Array());
    const announced = requestOfFields({ ...fields, headers: ['Content-Digest: x'] });
    assert.equal(announced.body, undefined);
  });
});
