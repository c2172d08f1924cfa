import { hash } from 'node:crypto';
import { randomNumbers } from '../../../packages/explain/test/unrelated-request.ts';

/** The form in which a program gets the request: as whole texts, or as data that its library turns into text. */
export type Way = 'url' | 'query' | 'form' | 'json' | 'text';

/** A request for a program to hold, sign and send. */
export interface Job {
  readonly client: string;
  readonly way: Way;
  readonly method: string;
  readonly url: string;
  /** Parameters of a query or a form. */
  readonly query?: readonly (readonly [name: string, value: string])[];
  /** JSON text that the program parses to its own data. */
  readonly data?: string;
  readonly text?: string;
  readonly contentType?: string;
  /** The library that creates the signed text. */
  readonly signs?: string;
  /** The library that creates the sent text, if the client doesn't. */
  readonly sends?: string;
  /** The signed text, if another program has created it. */
  readonly holds?: string;
  /** The author of `holds`. */
  readonly maker?: string;
}

/** The installed software of one language. */
export interface Installed {
  readonly clients: readonly string[];
  readonly serialisers: readonly string[];
  readonly queries: readonly string[];
}

const api = 'http://api.countersign.example';
const json = 'application/json';
const form = 'application/x-www-form-urlencoded';

/** URLs that programmers pass to clients as text. */
const urls: readonly string[] = [
  `${api}/v1/customers/Jane Doe/orders`,
  `${api}/v1/customers/Zoë/orders`,
  `${api}/v1/files/Müller & Söhne.pdf`,
  `${api}/v1/customers/%7Ejane/orders`,
  `${api}/v1/customers/~jane/orders`,
  `${api}/v1/payments|recent`,
  `${api}/v1/orders[42]`,
  `${api}/v1/orders/{id}`,
  `${api}/v1/orders/"42"`,
  `${api}/v1/orders/<42>`,
  `${api}/v1/orders/4^2`,
  `${api}/v1/files\\invoices\\42`,
  `${api}/v1//payments`,
  `${api}//v1/payments`,
  `${api}/v1/./payments`,
  `${api}/v1/clients/../payments`,
  `${api}/v1/clients/%2e%2e/payments`,
  `${api}/v1/files/a%2fb`,
  `${api}/v1/files/a%2Fb`,
  `${api}/v1/orders/%41%34`,
  `${api}/v1/orders;v=1/items`,
  `${api}/v1/users/jane@shop.example`,
  `${api}/v1/times/08:41:05`,
  `${api}/v1/orders/it's(1)*!`,
  `${api}/v1/orders/a+b,c=d$e`,
  `${api}/v1/discounts/100%`,
  `${api}/v1/discounts/100%/x`,
  `${api}/v1/tags/party 🎉`,
  `${api}/v1/tags/日本`,
  `${api}/v1/tags/Zo%c3%ab`,
  `${api}/v1/tags/Zo%EB`,
  `${api}/v1/payments/`,
  `${api}/v1/payments?`,
  `${api}/v1/payments?limit=5#top`,
  `${api}/v1/payments#recent`,
  api,
  `${api}?limit=5`,
  `${api}:80/v1/payments`,
  `${api}:8443/v1/payments`,
  'http://API.countersign.example/v1/payments',
  'HTTP://api.countersign.example/v1/payments',
  'http://api.münchen.example/v1/payments',
  'http://api.xn--mnchen-3ya.example/v1/payments',
  'http://jane:secret@api.countersign.example/v1/payments',
  'http://api.eu.countersign.example/v1/payments?state=open',
  `${api}/v1/payments?reference=Invoice 42`,
  `${api}/v1/payments?reference=Invoice+42`,
  `${api}/v1/payments?reference=Invoice%2042`,
  `${api}/v1/payments?filter[state]=open`,
  `${api}/v1/payments?filter%5bstate%5d=open`,
  `${api}/v1/payments?name=Zoë`,
  `${api}/v1/payments?name=Zo%EB`,
  `${api}/v1/payments?name=Zo%c3%ab`,
  `${api}/v1/payments?a=1&&b=2`,
  `${api}/v1/payments?a=1&b=2&`,
  `${api}/v1/payments?a=&b`,
  `${api}/v1/payments?a=2&a=1`,
  `${api}/v1/payments?b=1;a=2`,
  `${api}/v1/payments?name=O'Brien`,
  `${api}/v1/payments?name="Jane"`,
  `${api}/v1/payments?states=open|paid`,
  `${api}/v1/payments?states=open,paid`,
  `${api}/v1/payments?states=open%2cpaid`,
  `${api}/v1/payments?since=2026-03-05T08:41:05+01:00`,
  `${api}/v1/payments?since=2026-03-05T08%3a41%3a05Z`,
  `${api}/v1/payments?return=https://shop.example/a?b=c`,
  `${api}/v1/payments?q={"state":"open"}`,
  `${api}/v1/payments?q=a<b>c`,
  `${api}/v1/payments?q=a^b\`c`,
  `${api}/v1/payments?q=a\\b`,
  `${api}/v1/payments?rate=100%`,
  `${api}/v1/payments?rate=10%25off%zz`,
  `${api}/v1/payments?q=%7Ejane`,
  `${api}/v1/payments?q=%6Aane`,
  `${api}/v1/payments?q=🎉`,
  `${api}/v1/payments?q=日本`,
  `${api}/v1/payments?cursor=eyJpZCI6NDJ9==`,
  `${api}/v1/payments?sort=*&fields=(id)!`,
];

/** Parameters that programmers pass to clients as data. */
const queries: readonly (readonly (readonly [string, string])[])[] = [
  [['reference', 'Invoice 42']],
  [['name', 'Zoë & Söhne']],
  [['since', '2026-03-05T08:41:05+01:00']],
  [['return', 'https://shop.example/a?b=c&d']],
  [
    ['filter[state]', 'open'],
    ['filter[currency]', 'EUR'],
  ],
  [
    ['state', 'open'],
    ['state', 'paid'],
  ],
  [
    ['b', '2'],
    ['a', '1'],
  ],
  [['states', 'open,paid|due']],
  [
    ['note', ''],
    ['limit', '5'],
  ],
  [['name', "O'Brien (jr.)!*~"]],
  [['q', '{"state":"open"}']],
  [['rate', '100%']],
  [['tag', 'party 🎉']],
  [['q', 'a+b=c']],
  [['q', '<b>"x"</b>']],
  [['q', 'a\\b^c`d']],
  [['cursor', 'eyJpZCI6NDJ9==']],
  [['email', 'jane@shop.example;v=1']],
  [['text', 'first\nsecond']],
  [['state', ' open ']],
];

/** Documents that programs serialise, by their special features. */
export const documents: readonly string[] = [
  '{"reference":"order-42","amount":1250,"currency":"EUR"}',
  '{"reference":"order-42","amount":12.5,"rate":1.0,"fee":0.1}',
  '{"reference":"Café Zoë","note":"2 × Espresso €"}',
  '{"reference":"party 🎉","tags":["été","日本"]}',
  '{"url":"https://shop.example/hook?a=1&b=2","html":"<b>Tom & Jerry\'s</b>"}',
  '{"note":"first\\nsecond\\ttab \\"quoted\\" back\\\\slash"}',
  '{"amount":1250,"description":null,"tags":[],"metadata":{}}',
  '{"zebra":1,"apple":2,"mango":{"zoo":1,"ant":2}}',
  '{"id":9007199254740993,"amount":1e21,"small":0.0000001}',
  '{"big":12345678901234567890123,"price":19.90,"rate":1e3}',
  '{"active":true,"deleted":false,"amount":-0.0,"share":0.30000000000000004}',
  '{"text":"line\\u2028separator\\u0000nul\\u007fdel\\u001f"}',
  '[{"id":1,"amount":100},{"id":2,"amount":250}]',
  '{"items":[{"sku":"A-1","quantity":2},{"sku":"B/2","quantity":1}],"total":1860}',
  '{"10":"ten","9":"nine","a":"letter"}',
  '{"reference":"order-43","currency":"CHF","metadata":{"guest":true,"table":7}}',
];

/** Bodies that programmers pass to clients as text. */
const texts: readonly (readonly [text: string, contentType: string])[] = [
  ['{"reference":"Café Zoë","amount":1250}', json],
  ['{"reference":"order-42","note":"€ 5 “net”"}', json],
  ['{\n  "reference": "order-42",\r\n  "amount": 1250\n}\n', json],
  ['Paid at the counter.\r\nReceipt for Zoë.\r\n', 'text/plain'],
  ['reference=Invoice 42&name=Zoë&note=a+b', form],
  ['reference=Invoice+42%2fA&name=Zo%c3%ab', form],
  ['\uFEFF{"reference":"order-42"}', json],
  ['<order id="42"><name>Zoë</name></order>\n', 'application/xml'],
  ['{"emoji":"🎉"}', 'application/json; charset=iso-8859-1'],
  ['  {"reference":"order-42"}  ', json],
  ['{"reference":"order-42"}\0', json],
  ['@order-42.json', 'text/plain'],
];

const methods = ['get', 'post', 'delete', 'patch', 'Put', 'HEAD', 'OPTIONS', 'PATCH', 'DELETE'] as const;

/** Everything that the programs of one language do, the same each time. */
export function jobsOf(
  language: string,
  { clients, serialisers, queries: encoders }: Installed,
): readonly Job[] {
  return clients.flatMap((client) => {
    const random = randomNumbers(seedOf(`${language}/${client}`));
    const some = <Value>(values: readonly Value[]): Value => values[random(values.length)]!;
    const base = { client, method: 'GET' };
    const jobs: Job[] = urls.map((url) => ({ ...base, way: 'url', url: varied(url, random) }));
    for (const method of methods)
      jobs.push({ client, way: 'url', method, url: `${api}/v1/payments/${random(900)}` });
    jobs.push({
      client,
      way: 'text',
      method: 'POST',
      url: `${api}/v1/payments/${random(900)}/cancel`,
      text: '',
      contentType: json,
    });
    for (const [index, query] of queries.entries()) {
      for (const signs of new Set([encoders[0]!, encoders[1]!, some(encoders)])) {
        const values = query.map(([name, value]) => [name, varied(value, random)] as const);
        jobs.push({ ...base, way: 'query', url: `${api}/v1/payments`, query: values, signs });
        if (index % 2 === 0 || signs !== encoders[0])
          jobs.push({
            client,
            way: 'form',
            method: 'POST',
            url: `${api}/v1/orders`,
            query: values,
            signs,
            contentType: form,
          });
      }
    }
    for (const data of documents) {
      for (const signs of new Set([serialisers[0]!, some(serialisers), some(serialisers)])) {
        const document = {
          client,
          way: 'json',
          method: some(['POST', 'PUT', 'PATCH']),
          url: `${api}/v1/payments`,
          contentType: json,
        } as const;
        jobs.push({ ...document, data: varied(data, random), signs });
        const sends = some(serialisers);
        if (sends !== signs) jobs.push({ ...document, data: varied(data, random), signs, sends });
      }
    }
    for (const [text, contentType] of texts)
      jobs.push({
        client,
        way: 'text',
        method: 'POST',
        url: `${api}/v1/payments`,
        text: varied(text, random),
        contentType,
      });
    return jobs;
  });
}

export function seedOf(text: string): number {
  return hash('sha256', text, 'buffer').readUInt32BE(0);
}

/** Other numbers and words of the same kind, so that no two programs send the same. Special numbers stay. */
function varied(text: string, random: (below: number) => number): string {
  const numbered = text.replace(/(?<![\w.%-])42(?![\w.])|(?<=-)42\b/g, () => String(10 + random(900)));
  return alike.reduce((result, words) => {
    const word = words[random(words.length)]!;
    return result.replaceAll(words[0], word);
  }, numbered);
}

const alike: readonly (readonly [string, ...string[]])[] = [
  ['Zoë', 'Zoë', 'René', 'Łukasz', 'Søren', 'Élodie', 'Żaneta'],
  ['Jane', 'Jane', 'Mary', 'Ivan', 'Chen'],
  ['jane', 'jane', 'mary', 'ivan', 'chen'],
  ['Invoice', 'Invoice', 'Receipt', 'Order', 'Bill'],
  ['shop.example', 'shop.example', 'store.example', 'acme.example'],
  ['open', 'open', 'paid', 'overdue', 'void'],
  ['EUR', 'EUR', 'CHF', 'USD'],
  ['orders', 'orders', 'payments', 'refunds', 'transfers'],
  ['reference', 'reference', 'description', 'subject'],
  ['amount', 'amount', 'total', 'sum'],
  ['quantity', 'quantity', 'count'],
];
