import { type RouteRule, RouteTable } from '@countersign/gate';
import { createSigner, type Signer } from '@countersign/signature/node';
import { grpcAuthorizer } from '../configuration/authorizer-settings.ts';
import type { Configuration } from '../configuration/load.ts';
import { rulesFor } from '../configuration/routing-settings.ts';
import { call, type CallResponse, type PreparedCall } from './call.ts';
import { type Output, reportLine } from './report.ts';
import type { ShownService } from './shown-service.ts';
import { makeDemoKeyPair } from './demo-key-pair.ts';

/**
 * Shows that a signed request reaches the protected API, and that five forgeries do not. Only reads from it,
 * because the effect of a write is unknown.
 */
export async function showUpstream(service: ShownService, signer: Signer, output: Output): Promise<void> {
  const { configuration, apiAddress } = service;
  const path = examplePath(configuration);
  if (path === undefined) {
    output.write(
      '\nNothing is sent to your API: none of its routes can be read without an ID and rejects forgeries.\n',
    );
    return;
  }
  const url = configuration.apiBaseUrls[0]! + path;
  const signed = (by: Signer = signer, time?: { readonly created: number }): PreparedCall => {
    const { headers } = by.sign({ method: 'GET', url }, time);
    return { method: 'GET', url, headers: { ...headers }, body: '' };
  };
  const otherKey = (await makeDemoKeyPair()).privateKey;
  const stranger = createSigner({ keyid: signer.keyid, privateKey: otherKey });

  output.write(`\nWhat reaches ${addressesOf(configuration)}, and what does not:\n\n`);
  const show = async (title: string, prepared: PreparedCall): Promise<CallResponse> => {
    const startedMs = performance.now();
    const answer = await call(apiAddress!, prepared);
    const tookMs = Math.round(performance.now() - startedMs);
    output.write(reportLine(title, answer, `answered by your API in ${tookMs} ms`));
    return answer;
  };
  const first = await show(`a signed GET ${path}`, signed());
  await show('one byte of the URL changed', { ...signed(), url: `${url}?` });
  await show('another method', { ...signed(), method: 'DELETE' });
  await show('the same without a signature', { ...signed(), headers: {} });
  await show("signed with someone else's key", signed(stranger));
  await show('signed ten minutes ago', signed(signer, { created: Math.floor(Date.now() / 1000) - 600 }));
  if ((first.body as { code?: string } | undefined)?.code?.startsWith('upstream_'))
    output.write(`\nNothing responds there yet. Start your API: the gateway needs no restart.\n`);
}

/** Describes the protected API, one fact per line; empty if there is none. */
export function apiLines(service: ShownService): string {
  const { configuration } = service;
  const { routing, apiBaseUrls, openapi } = configuration;
  if (routing === undefined) return '';
  const count = routing.routes.length;
  const routes = count === 1 ? '1 route' : `${count} routes`;
  const source = openapi === undefined ? '' : ` from ${openapi}`;
  const to = service.apiAddress === undefined ? ', behind your proxy' : `  ->  ${addressesOf(configuration)}`;
  const authorizers = authorizerUrls(service);
  return [
    `Your API       ${apiBaseUrls[0]}${to}   (${routes}${source})`,
    ...(authorizers.length === 0 ? [] : [`Proxies query  ${authorizers.join(', ')}`]),
    `Routes         ${routesCommand(configuration)}`,
  ].join('\n');
}

/** Returns the URLs at which proxies query the authorizers, one for each. */
function authorizerUrls({
  configuration,
  authorizerAddress,
  authorizerGrpcAddress,
}: ShownService): readonly string[] {
  return Object.keys(configuration.authorizers).map((name) =>
    name === grpcAuthorizer ? `${authorizerGrpcAddress} (gRPC)` : `${authorizerAddress}/authorize/${name}`,
  );
}

/**
 * Returns the command that lists the routes. It includes the settings, because the command does not know this
 * process's options and environment.
 */
function routesCommand({ upstream, openapi, files, sources, ...configuration }: Configuration): string {
  const isInFile = [sources.upstream, sources.routes, sources.upstreams].includes('file');
  const given =
    isInFile && files[0] !== undefined
      ? [['configuration', files[0]]]
      : [
          ['upstream', upstream?.join(',')],
          ['openapi', openapi],
        ];
  const options = given.flatMap(([name, value]) =>
    value === undefined ? [] : [` --${name} ${quoted(value)}`],
  );
  const isElsewhere = upstream === undefined && !isInFile && configuration.routing !== undefined;
  return `npx countersign routes list${options.join('')}${isElsewhere ? '   (with the same environment)' : ''}`;
}

/** Quotes a value for a POSIX shell if necessary. */
function quoted(value: string): string {
  return /^[\w./:,@%+=-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

/** Describes the protected API as a paragraph; empty if there is none. */
export function describeApi(service: ShownService): string {
  return service.configuration.routing === undefined ? '' : `\n${apiLines(service)}\n`;
}

/**
 * Returns a path of the API that can be read without knowing any ID, by a route that rejects forgeries; undefined if no route
 * has one.
 */
export function examplePath({
  routing,
  apiBaseUrls: [baseUrl],
}: Pick<Configuration, 'routing' | 'apiBaseUrls'>): string | undefined {
  if (routing === undefined) return undefined;
  const rules = rulesFor(routing.routes, baseUrl!, routing.baseUrlProfiles[baseUrl!]);
  const table = RouteTable.from(rules);
  if (!(table instanceof RouteTable)) return undefined;
  const paths = rules.map(({ path }) => path.replace(/(?<=.)\/\*\*$/, '').replace('/**', '/'));
  return paths.find((path) => {
    const match = path.includes('{') ? undefined : table.find('GET', path);
    return match?.kind === 'route' && isShown(match.rule);
  });
}

/** Returns true for a route that the demonstration's client can call. */
function isShown({ mode, profiles }: RouteRule): boolean {
  return mode === 'enforce' && (profiles?.includes('countersign') ?? true);
}

function addressesOf({ routing }: Configuration): string {
  return routing?.upstreams.flatMap(({ addresses }) => addresses).join(', ') ?? '';
}
