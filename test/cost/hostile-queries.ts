import { openApiDocument, type OperationId, pageLimits } from '@countersign/contract';
import type { Ground } from './ground.ts';
import { hostileTexts } from './hostile-texts.ts';

interface HostileQuery {
  readonly what: string;
  readonly query: string;
}

/** The values of a parameter, according to the OpenAPI document. */
interface Parameter {
  readonly name: string;
  readonly values: readonly string[];
  readonly charactersMax: number;
}

/**
 * The queries of an operation: each parameter with all its values, with the longest texts, and with searches
 * that find everything and nothing; each also with the largest page, in every order and format.
 */
export function hostileQueries(id: OperationId, ground: Ground): readonly HostileQuery[] {
  const parameters = parametersOf(id);
  const names = new Set(parameters.map(({ name }) => name));
  const largest = largestPages(parameters);
  const filters = [...filtersOf(parameters, ground), ...periodsOf(names, ground)];
  const searches = names.has('search') ? searchesOf(id, ground) : [];
  const orders = valuesOf(parameters, 'sort').map((sort) => ({ sort }));
  const groups = valuesOf(parameters, 'by').map((by) => ({ by }));
  const chosen = [
    ...filters,
    ...searches.map((search) => ({ search })),
    ...orders,
    ...orders.flatMap((order) =>
      searches.slice(0, searchesInEachOrder).map((search) => ({ ...order, search })),
    ),
    ...groups.flatMap((group) => [
      group,
      ...periodsOf(names, ground).map((period) => ({ ...period, ...group })),
    ]),
  ];
  const queries = [...largest, ...chosen.map((values) => ({ ...largest[0], ...values }))];
  const long = names.size > 0 ? longQueries : [];
  return [...queries.map(queryOf), ...long].map((query) => ({ what: shortly(query), query }));
}

/** The number of searches that are also tried in every order. */
const searchesInEachOrder = 4;

type Values = Readonly<Record<string, string>>;

const document = openApiDocument({ serverUrls: [] });
const described = Object.values(document.paths).flatMap((methods) => Object.values(methods));

function parametersOf(id: OperationId): readonly Parameter[] {
  const { parameters = [] } = described.find(({ operationId }) => operationId === id) ?? {};
  return parameters.flatMap((parameter) => {
    if ('$ref' in parameter || parameter.in !== 'query') return [];
    const { enum: values = [], maxLength = 64 } = parameter.schema as {
      readonly enum?: readonly string[];
      readonly maxLength?: number;
    };
    return [{ name: parameter.name, values, charactersMax: maxLength }];
  });
}

function valuesOf(parameters: readonly Parameter[], name: string): readonly string[] {
  return parameters.find((parameter) => parameter.name === name)?.values ?? [];
}

function largestPages(parameters: readonly Parameter[]): readonly Values[] {
  const names = parameters.map(({ name }) => name);
  if (!names.includes('limit')) return [{}];
  const page = { limit: String(pageLimits.limitMax) };
  const exports = valuesOf(parameters, 'format')
    .filter((format) => format !== 'json')
    .map((format) => ({ limit: String(pageLimits.exportLimitMax), format }));
  return [page, ...exports];
}

function filtersOf(parameters: readonly Parameter[], { clientIds, play }: Ground): readonly Values[] {
  const known: Values = {
    clientId: clientIds[0]!,
    actorId: play.operator.clientId,
    accountId: play.operator.accountId,
    role: 'auditor',
    tag: 'production',
    status: '4xx',
    outcome: 'refused',
    address: '2001:db8:0:ffff::1',
  };
  return parameters.flatMap(({ name, values, charactersMax }) => [
    ...values.filter(() => name !== 'format').map((value) => ({ [name]: value })),
    ...(values.length === 0 && known[name] !== undefined ? [{ [name]: known[name] }] : []),
    ...(values.length === 0 && name !== 'limit'
      ? hostileTexts.map(({ ofLength }) => ({ [name]: ofLength(Math.min(charactersMax, textCharacters)) }))
      : []),
    ...(name === 'clientId' && charactersMax > 256 ? [{ [name]: clientIds.slice(0, 100).join(' ') }] : []),
  ]);
}

/** Each character takes up to nine in the target, which has at most 8 KiB. */
const textCharacters = 850;

function periodsOf(names: ReadonlySet<string>, { startMs, play }: Ground): readonly Values[] {
  if (!names.has('from')) return [];
  const from = new Date(startMs).toISOString();
  const middle = new Date((startMs + play.scene.nowMs()) / 2).toISOString();
  if (!names.has('to')) return [{ from }];
  const longest = names.has('interval')
    ? [
        { from, interval: 'hour' },
        { from, interval: 'day' },
      ]
    : [{ from }];
  return [...longest, { to: middle }, { from: middle, to: middle }];
}

/** Searches that find everything, nothing, and rows that no index finds. */
function searchesOf(id: OperationId, { clientIds }: Ground): readonly string[] {
  const everywhere = ['e', 'Client', 'zzzz', 'xa'.repeat(50)];
  if (!id.startsWith('listRequests') && id !== 'getRequestTotals')
    return [
      ...everywhere,
      '203.0.113.7',
      '2001:db8::7',
      'SHA256:',
      'client_',
      'SHA256:zz',
      '\u{fdfa}'.repeat(100),
    ];
  return [
    ...everywhere,
    'path:lines path:ines path:nes/ path:es/l path:s/li path:/l path:orders path:zz',
    'client:Client client:lient client:ient client:ent client:n client:Ex client:t client:l',
    'Client lient ient ent n Ex t l',
    'client:e zzzz',
    'path:/v1/orders',
    'path:/v1/orders zzzz',
    '/v1/orders/1 status:4xx zzzz',
    'status:401',
    'status:401 zzzz',
    'status:4xx method:PUT',
    'outcome:refused',
    'outcome:refused zzzz',
    'outcome:accepted method:PUT',
    'code:signature_invalid zzzz',
    'key:SHA256:',
    'key:SHA256: zzzz',
    'id:request_',
    'address:203.0.1.1',
    'address:203.0.1.1 zzzz',
    `client:${clientIds[0]} zzzz`,
    'after:2000-01-01 before:2100-01-01 zzzz',
    `path:${'lines/'.repeat(40)}z`,
  ];
}

/** A target has at most 8 KiB, including the base URL and the path. */
const queryCharacters = 7900;

/** Queries that are rejected, or have no effect. */
const longQueries = ['x=y&', '&', '=', '%41=', 'cursor=', '%f0%9f%91%a9', '+', 'search=%22+']
  .map((part) => part.repeat(Math.floor(queryCharacters / part.length)))
  .concat(`cursor=${'MTp'.repeat(2600)}`, `search=${'%22'.repeat(2600)}`);

function queryOf(values: Values): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%20', '+')}`)
    .join('&');
}

function shortly(query: string): string {
  if (query === '') return 'no query';
  return query.length > 70 ? `${query.slice(0, 70)}… (${query.length})` : query;
}
