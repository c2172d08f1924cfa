import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contentDigest, explained, makeRequest, namesOf } from './mistaken-request.ts';

type Row = readonly [what: string, signed: string, sent: string, found: string];

const bodies: readonly Row[] = [
  ['JSON5', "{name:'Zoë',ok:true}", '{"name":"Zoë","ok":true}', 'body_printed proven'],
  [
    'JSON5 on lines, with a comma after the last',
    '{\n  name: "Zo\\u00eb",\n  tags: [\n    1,\n  ],\n}',
    '{"name": "Zoë", "tags": [1]}',
    'body_printed proven',
  ],
  [
    'JSON5 with its keys sorted',
    "{a:1,b:'x'}",
    '{"b":"x","a":1}',
    'body_printed proven, body_json_key_order proven',
  ],
  [
    'JSON without the quotes that json-smart leaves out',
    '{sku:A-1,url:"https://shop.example/a",note:it\'s <b>}',
    '{"sku":"A-1","url":"https://shop.example/a","note":"it\'s <b>"}',
    'body_printed proven',
  ],
  [
    'Hjson',
    '{\n  name: Zoë\n  more:\n  {\n    id: 7\n  }\n}',
    '{"name":"Zoë","more":{"id":7}}',
    'body_printed proven',
  ],
  [
    'JavaScript with double quotes and a final comma, indented by 4 spaces',
    '{\n    name: "Zoë",\n}',
    '{"name":"Zoë"}',
    'body_printed proven',
  ],
  ['JSON, sent as JSON5', '{"name":"it\'s"}', "{name:'it\\'s'}", 'body_printed proven'],
  [
    'JSON with spaces, sent as Hjson',
    '{"url": "https://a.example/?b=1,2", "ok": true}',
    '{\n  url: https://a.example/?b=1,2\n  ok: true\n}',
    'body_printed proven, body_json_separators proven',
  ],
  [
    'JSON, sent as Python prints it',
    '{"ok":true,"none":null}',
    "{'ok': True, 'none': None}",
    'body_printed proven',
  ],
  ...[
    '{\n  "tags": [\n  ],\n  "more": {\n  }\n}',
    '{\n  "tags": [\n\n  ],\n  "more": {\n\n  }\n}',
    '{\n    "tags": [\n        \n    ],\n    "more": {\n        \n    }\n}',
    '{\n    "tags": [ ],\n    "more": { }\n}',
    '{\n\t"tags":\t[],\n\t"more":\t{\n\t}\n}',
  ].map((signed): Row => [
    `empty lists and objects as ${signed.replace(/\s+/g, ' ')}`,
    signed,
    '{"tags":[],"more":{}}',
    'body_json_whitespace proven',
  ]),
  [
    'JSON as cJSON indents it',
    '{\n\t"a":\t[{\n\t\t\t"id":\t1\n\t\t}, {\n\t\t\t"id":\t2\n\t\t}]\n}',
    '{"a":[{"id":1},{"id":2}]}',
    'body_json_whitespace proven',
  ],
  [
    'JSON as JsonCpp indents it',
    '{\n\t"a" : \n\t{\n\t\t"b" : [ 1, 2 ]\n\t}\n}',
    '{"a":{"b":[1,2]}}',
    'body_json_whitespace proven',
  ],
  [
    "MongoDB's canonical Extended JSON",
    '{"id":{"$numberInt":"7"},"big":{"$numberLong":"9007199254740993"},"rate":{"$numberDouble":"0.5"}}',
    '{"id":7,"big":9007199254740993,"rate":0.5}',
    'body_json_members proven',
  ],
  [
    "JSON, sent as MongoDB's canonical Extended JSON",
    '{"id":7,"rate":0.5}',
    '{"id":{"$numberInt":"7"},"rate":{"$numberDouble":"0.5"}}',
    'body_json_members proven',
  ],
  [
    'only the currency sign escaped',
    '{"note":"2 × 5 \\u20AC"}',
    '{"note":"2 × 5 €"}',
    'body_json_escapes proven',
  ],
  ['a form that is sent decoded', 'since=08%3A41%2B01%3A00', 'since=08:41+01:00', 'body_encoded proven'],
  ['a form whose & is sent decoded', 'back=%2Fa%3Fb%3Dc%26d&x=1', 'back=/a?b=c&d&x=1', 'body_encoded proven'],
  ['a form with LF', 'text=a%0Ab', 'text=a%0D%0Ab', 'body_encoded proven'],
  ['a form with a plain line break', 'text=a%0Ab', 'text=a\nb', 'body_encoded proven'],
  ['a list of one value', 'state%5B%5D=open', 'state=open', 'body_encoded proven'],
];

const queries: readonly Row[] = [
  ['a + that the client decodes', 'at=08%3A41%2B01%3A00', 'at=08:41+01:00', 'url_query_encoding proven'],
  ['an & that the client decodes', 'back=a%3Db%26c', 'back=a=b&c', 'url_query_encoding proven'],
  ['LF', 'text=a%0Ab', 'text=a%0D%0Ab', 'url_query_encoding proven'],
  ['one of two empty values with =', 'a=&b', 'a=&b=', 'url_query_part proven'],
  ['one of two empty values without =', 'a=&b', 'a&b', 'url_query_part proven'],
  ['a letter that needs no escape', 'q=%6Aane', 'q=jane', 'url_query_encoding proven'],
  ['a value that needs no escapes', 'q=%41%34', 'q=A4', 'url_query_encoding proven'],
  ['a backslash', 'q=a\\b', 'q=a%2Fb', 'url_query_encoding proven'],
];

describe('what other programs write for the same', () => {
  for (const [what, signed, sent, found] of bodies)
    test(`body: ${what}`, () => {
      const request = makeRequest({ body: Buffer.from(sent), digest: contentDigest(signed) });
      assert.deepEqual(namesOf(explained(request)), found.split(', '));
    });
  for (const [what, signed, sent, found] of queries)
    test(`query: ${what}`, () => {
      const uri = `https://api.example.test/v1/payments?${sent}`;
      const request = makeRequest({ uri, base: (base) => base.replace(`?${sent}`, () => `?${signed}`) });
      assert.deepEqual(namesOf(explained(request)), found.split(', '));
    });
  test('path: a segment that needs no escapes', () => {
    const request = makeRequest({
      uri: 'https://api.example.test/v1/orders/A4/items',
      base: (base) => base.replace('/A4/', '/%41%34/'),
    });
    assert.deepEqual(namesOf(explained(request)), ['url_path_encoding proven']);
  });
  test('body: JSON in another layout is never called JSON5', () => {
    const request = makeRequest({ body: Buffer.from('{"a":"b"}'), digest: contentDigest('{"a": "b"}') });
    assert.deepEqual(namesOf(explained(request)), ['body_json_separators proven']);
  });
});
