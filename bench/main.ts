import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { benchClient, type ClientResult } from './client.ts';
import { benchExplain, type ExplainResult } from './explain.ts';
import { benchGatewayMemory, type MemoryResult } from './gateway-memory.ts';
import { benchGateway, type GatewayResult, moderatePerSecond, type SideResult } from './gateway.ts';
import type { BenchUpstream, Median } from './in-turn.ts';
import { type AlgorithmResult, benchAlgorithms } from './algorithms.ts';
import { benchLibrary } from './library.ts';
import { benchMessages } from './messages.ts';
import { benchNeighbors, type NeighborsResult } from './neighbors.ts';
import { benchNodes, type NodesResult } from './nodes.ts';
import type { PairResult } from './paired.ts';
import { benchPeers, type PeersResult } from './peers.ts';
import type { PageFigures, PortalResult } from './portal.ts';
import type { Latency } from './portal-beside.ts';
import { benchProxy, type ProxyResult } from './proxy.ts';
import { benchRegistry } from './registry.ts';
import type { ProcessFigures } from './registry-process.ts';
import { benchReload, type ReloadResult } from './reload.ts';
import { benchRequestLog, type RequestLogResult } from './request-log.ts';
import { benchService, type ServiceResult } from './service.ts';
import { benchStart, type StartResult } from './start.ts';
import { benchThreads, type ThreadsFigures, type ThreadsResult } from './threads.ts';
import { benchVersus, type VersusResult } from './versus.ts';

const usage = `Usage: npm run bench -- [--quick] [--write] [library] [algorithms] [messages] [explain] [service] [registry] [request-log] [portal]
                        [neighbors] [reload] [start] [nodes] [threads] [gateway] [peers] [gateway-memory] [proxy]
                        [client]
       npm run bench -- [--quick] --against FOLDER

  --quick           fewer rounds and fewer clients, for a first look
  --write           put the tables into docs/benchmarks.md
  --against FOLDER  compare the service with that of another working tree, such as one of an older commit, in one run

Without names everything is measured, which takes about forty minutes; nothing else should run meanwhile.
nodes starts PostgreSQL and Redis, and gateway nginx, which must be installed. peers starts HAProxy, Envoy, Apache, nginx
and programs in Go, and names those that are not installed. portal needs Chromium, and takes about eight minutes.`;

const document = new URL('../docs/benchmarks.md', import.meta.url);

const quick = { type: 'boolean', default: false } as const;
let options: { quick: boolean; write: boolean; against?: string };
let chosen: readonly string[];
try {
  const { values, positionals } = parseArgs({
    options: { quick, write: quick, against: { type: 'string' } },
    allowPositionals: true,
  });
  options = values;
  chosen = positionals;
} catch {
  giveUp();
}

const rounds = options.quick ? 5 : 15;
/** Each benchmark, with its introduction and its table. */
const benches: Readonly<Record<string, readonly [string, () => Promise<string>]>> = {
  library: [
    'Verifying and signing, in one process …',
    async () => libraryTable(await benchLibrary(options.quick ? 51 : 201)),
  ],
  algorithms: [
    'Verifying and signing by each algorithm, with node:crypto and Web Crypto …',
    async () => algorithmsTable(await benchAlgorithms(options.quick ? 11 : 101)),
  ],
  messages: [
    'Verifying and signing by a profile of RFC 9421, with each algorithm …',
    async () => algorithmsTable(await benchMessages(options.quick ? 11 : 101)),
  ],
  explain: [
    'Explaining the requests of vectors/mistakes …',
    async () => explainTable(benchExplain(options.quick ? 1 : 5)),
  ],
  service: [
    'The whole service, three processes in turn (requests are signed first, which takes most of the time) …',
    async () =>
      serviceTable([
        await benchService('nothing', 2 * rounds, 3000),
        await benchService('payments', 2 * rounds, 3000),
      ]),
  ],
  registry: [
    'A registry of very many clients …',
    async () => registryTables(await benchRegistry(options.quick ? 50_000 : 1_000_000)),
  ],
  'request-log': [
    'A full request log, trimmed while requests are added …',
    async () => requestLogTable(await benchRequestLog(options.quick ? 100_000 : 1_000_000, 20)),
  ],
  portal: [
    'The portal of an account with many clients and requests, alone and beside browsers …',
    async () => {
      // Only here: it brings a browser along, and the test runner.
      const { benchPortal } = await import('./portal.ts');
      return portalTables(
        options.quick
          ? await benchPortal({ clients: 300, requests: 20_000 }, 2, 8)
          : await benchPortal({ clients: 10_000, requests: 1_000_000 }, 5, 30),
      );
    },
  ],
  neighbors: [
    'A customer alone, and beside a hostile one …',
    async () => neighborsTable(await benchNeighbors(rounds)),
  ],
  reload: [
    'A large OpenAPI document, read again under load …',
    async () => reloadTable(await benchReload(options.quick ? 3 : 10)),
  ],
  start: [
    'The published packages: their start, and an idle service (they are built first) …',
    async () => startTables(await benchStart(rounds, options.quick ? 1 : 5)),
  ],
  nodes: [
    'One process and two on PostgreSQL and Redis …',
    async () => nodesTable(await benchNodes(rounds, 3000)),
  ],
  threads: [
    'The gateway with one thread and with two …',
    async () => threadsTable(await benchThreads(rounds, 4000)),
  ],
  gateway: [
    'The gateway and a bare proxy in turn, alone and behind nginx …',
    async () => gatewayTables(await benchGateway(rounds, 6000)),
  ],
  peers: [
    'The gateway, and other proxies that verify an RSA signature in each request, in turn …',
    async () => peersTable(await benchPeers(rounds, 4000)),
  ],
  'gateway-memory': [
    'The memory of the gateway under a steady load …',
    async () => memoryTable(await benchGatewayMemory(options.quick ? 20 : 600)),
  ],
  client: [
    'The signing fetch of the client, by bare crypto and bare fetch …',
    async () => clientTable(await benchClient(options.quick ? 15 : 101, options.quick ? 3 : 20)),
  ],
  proxy: [
    'Signing in process and by the signing proxy in turn …',
    async () => proxyTable(await benchProxy(rounds, 2000)),
  ],
};
if (options.against !== undefined) {
  const results: VersusResult[] = [];
  for (const upstream of ['nothing', 'payments'] as const)
    results.push(await benchVersus(options.against, upstream, rounds, 1500));
  console.log(`${machine()}\n\n${versusTable(results)}`);
  process.exit(0);
}
const names = chosen.length === 0 ? Object.keys(benches) : chosen;
if (names.some((name) => !Object.hasOwn(benches, name))) giveUp();
for (const name of names) {
  const [announcement, run] = benches[name]!;
  const missing = missingPrograms(name);
  if (missing.length > 0) {
    console.error(`${name} is skipped: ${missing.join(' and ')} is not installed.`);
    process.exitCode = 1;
    continue;
  }
  console.error(announcement);
  const report = `${machine()}\n\n${await run()}`;
  console.log(`${report}\n`);
  if (options.write) write(name, report);
}

/** Returns the programs that a benchmark needs and that are missing. */
function missingPrograms(name: string): readonly string[] {
  const needed: Readonly<Record<string, readonly string[]>> = {
    gateway: ['nginx'],
    nodes: ['redis-server'],
  };
  return (needed[name] ?? []).filter((program) => spawnSync(program, ['--version']).error !== undefined);
}

function giveUp(): never {
  console.error(usage);
  process.exit(2);
}

/** Writes a report between its marks in the document. */
function write(name: string, report: string): void {
  const text = readFileSync(document, 'utf8');
  const marked = new RegExp(`(<!-- ${name} begin -->\\n)[^]*(<!-- ${name} end -->)`);
  if (!marked.test(text)) throw new Error(`docs/benchmarks.md has lost the marks of ${name}.`);
  writeFileSync(
    document,
    text.replace(marked, (_, begin: string, end: string) => `${begin}\n${report}\n\n${end}`),
  );
}

function machine(): string {
  const [cpu] = cpus();
  const date = new Date().toISOString().slice(0, 10);
  return `Measured on ${date}: Node ${process.versions.node}, ${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}).`;
}

function libraryTable(results: readonly PairResult[]): string {
  const rows = results.map(({ name, subjectMicroseconds, referenceMicroseconds, ratio, quartiles }) =>
    row([
      name,
      subjectMicroseconds.toFixed(1),
      referenceMicroseconds.toFixed(1),
      ratio.toFixed(3),
      range(quartiles, 3),
    ]),
  );
  return [
    row(['Comparison', 'subject µs', 'reference µs', 'median ratio', 'middle half']),
    row(['---', '---:', '---:', '---:', '---:']),
    ...rows,
  ].join('\n');
}

function algorithmsTable(
  results: readonly (Omit<AlgorithmResult, 'algorithm'> & { readonly algorithm: string })[],
): string {
  const rows = results.map(({ algorithm, platform, name, ...figures }) =>
    row([
      algorithm,
      platform,
      name,
      figures.subjectMicroseconds.toFixed(1),
      figures.referenceMicroseconds.toFixed(1),
      figures.ratio.toFixed(3),
      range(figures.quartiles, 3),
    ]),
  );
  return [
    row(['Algorithm', 'with', '', 'ours µs', 'bare crypto µs', 'median ratio', 'middle half']),
    row(['---', '---', '---', '---:', '---:', '---:', '---:']),
    ...rows,
  ].join('\n');
}

function explainTable({
  requestCount,
  milliseconds,
  endedByBudget,
  hypothesesPerSecond,
  ratio,
  quartiles,
}: ExplainResult): string {
  const titles = ['median', '95 %', '99 %', 'longest'];
  return [
    row([`Explanation of a rejected request (${requestCount} of them)`, '']),
    row(['---', '---:']),
    ...titles.map((title, index) => row([title, `${milliseconds[index]!.toFixed(1)} ms`])),
    row(['reach the limit of the search', String(endedByBudget)]),
    row(['hypotheses per second', hypothesesPerSecond.toFixed(0)]),
    row([
      'by the bare SHA-256 of the same bytes, median (middle half)',
      `${ratio.toFixed(2)} (${range(quartiles, 2)})`,
    ]),
  ].join('\n');
}

function serviceTable(results: readonly ServiceResult[]): string {
  const rows = results.map((one) =>
    row([
      behind(one),
      one.checkedPerSecond.toFixed(0),
      one.cryptoPerSecond.toFixed(0),
      one.uncheckedPerSecond.toFixed(0),
      ...shareCells(one.share),
    ]),
  );
  const times = results.map((one) =>
    row([
      behind(one),
      one.checkedMicroseconds.toFixed(1),
      one.cryptoMicroseconds.toFixed(1),
      ...shareCells(one.shareOfTime),
    ]),
  );
  return [
    row(['Signed POST', 'requests/s', 'bare crypto only', 'neither', 'reached', 'middle half']),
    row(['---', '---:', '---:', '---:', '---:', '---:']),
    ...rows,
    '',
    row(['Its processor time', 'µs', 'bare crypto only', 'reached', 'middle half']),
    row(['---', '---:', '---:', '---:', '---:']),
    ...times,
  ].join('\n');
}

function behind({ upstream }: { readonly upstream: BenchUpstream }): string {
  return upstream === 'nothing' ? 'no work behind the checks' : 'sandbox payments in SQLite';
}

function shareCells({ median, quartiles: [low, high] }: Median): [string, string] {
  return [`${(median * 100).toFixed(1)} %`, range([low * 100, high * 100], 1)];
}

function versusTable(results: readonly VersusResult[]): string {
  const rows = results.map((one) =>
    row([
      behind(one),
      one.herePerSecond.toFixed(0),
      one.therePerSecond.toFixed(0),
      one.ratio.median.toFixed(2),
      range(one.ratio.quartiles, 2),
      one.hereCpuMicroseconds.toFixed(0),
      one.thereCpuMicroseconds.toFixed(0),
      one.hereMainMicroseconds.toFixed(0),
      one.thereMainMicroseconds.toFixed(0),
    ]),
  );
  return [
    row([
      'Signed POST',
      'here, requests/s',
      'there',
      'here by there',
      'middle half',
      'processor time here, µs',
      'there',
      'of the main thread here, µs',
      'there',
    ]),
    row(['---', '---:', '---:', '---:', '---:', '---:', '---:', '---:', '---:']),
    ...rows,
  ].join('\n');
}

function registryTables(figures: ProcessFigures): string {
  const { clientCount, servingMs, warmMs, missMs, rssBytes, lookUps, changeMs } = figures;
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  return [
    [
      row([`Registry of ${clientCount} clients in SQLite`, '']),
      row(['---', '---:']),
      row(['serves after', seconds(servingMs)]),
      row(['has read all after', seconds(warmMs)]),
      row(['reads a client that calls before it was read (median)', `${missMs.toFixed(1)} ms`]),
      row(['memory (resident)', `${(rssBytes / 2 ** 20).toFixed(0)} MiB`]),
      row(['a change by another process counts after (median)', `${changeMs.median.toFixed(0)} ms`]),
      row(['the same, slowest of 21', `${changeMs.slowest.toFixed(0)} ms`]),
    ].join('\n'),
    [
      row(['Look-up', `among ${clientCount}, µs`, 'among 1000, µs', 'median ratio', 'middle half']),
      row(['---', '---:', '---:', '---:', '---:']),
      ...lookUps.map(({ name, subjectMicroseconds, referenceMicroseconds, ratio, quartiles }) =>
        row([
          name,
          subjectMicroseconds.toFixed(3),
          referenceMicroseconds.toFixed(3),
          ratio.toFixed(2),
          range(quartiles, 2),
        ]),
      ),
    ].join('\n'),
  ].join('\n\n');
}

function requestLogTable({
  keptMax,
  perSecond,
  longestMs,
  longestCpuMs,
  p99Ms,
  idleLongestMs,
  removed,
}: RequestLogResult): string {
  return [
    row([`Request log of ${keptMax} in SQLite, ${perSecond} more a second`, '']),
    row(['---', '---:']),
    row(['longest time that the thread that answers stands still', `${longestMs.toFixed(1)} ms`]),
    row(['of which it works itself, at most', `${longestCpuMs.toFixed(1)} ms`]),
    row(['99 % of its turns are shorter than', `${p99Ms.toFixed(1)} ms`]),
    row(['the same thread with nothing to do, longest', `${idleLongestMs.toFixed(1)} ms`]),
    row(['requests removed meanwhile', String(removed)]),
  ].join('\n');
}

function reloadTable({
  documentBytes,
  operations,
  perSecond,
  alone,
  beside,
  reloadMs,
  rssBytes,
}: ReloadResult): string {
  const latencies = ({ p50Ms, p99Ms, longestMs }: ReloadResult['alone']): string[] =>
    [p50Ms, p99Ms, longestMs].map((one) => one.toFixed(2));
  const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
  const title = `Signed GET through the gateway, ${perSecond}/s`;
  return [
    [
      row([title, 'p50, ms', 'p99, ms', 'longest, ms']),
      row(['---', '---:', '---:', '---:']),
      row(['alone', ...latencies(alone)]),
      row(['while the document is read again', ...latencies(beside)]),
    ].join('\n'),
    [
      row([`A document of ${mebibytes(documentBytes)} with ${operations} operations`, '']),
      row(['---', '---:']),
      row(['is in use after (median)', `${(reloadMs / 1000).toFixed(1)} s`]),
      row(['memory (resident) before', mebibytes(rssBytes.before)]),
      row(['highest', mebibytes(rssBytes.highest)]),
      row(['ten seconds after the last reload', mebibytes(rssBytes.afterwards)]),
    ].join('\n'),
  ].join('\n\n');
}

function startTables({ commands, service }: StartResult): string {
  return [
    [
      row(['A command of the published packages', 'modules', 'ms', 'above an empty program, ms']),
      row(['---', '---:', '---:', '---:']),
      ...commands.map(({ name, modules, milliseconds, addedMs }) =>
        row([name, String(modules), milliseconds.toFixed(0), addedMs.toFixed(0)]),
      ),
    ].join('\n'),
    [
      row(['The service on SQLite, with its portal', '']),
      row(['---', '---:']),
      row(['modules of the main thread', String(service.modules)]),
      row(['responds after (median)', `${service.listeningMs.toFixed(0)} ms`]),
      row(['processor time until then', `${service.cpuMs.toFixed(0)} ms`]),
      row(['memory (resident) after ten idle seconds', `${(service.rssBytes / 2 ** 20).toFixed(0)} MiB`]),
    ].join('\n'),
  ].join('\n\n');
}

function portalTables({ size, pages, searches, beside }: PortalResult): string {
  const { clients, requests } = size;
  const whole = (value: number | undefined, unit = ' ms'): string =>
    value === undefined ? '' : `${value.toFixed(0)}${unit}`;
  const times = ({ title, medianMs, worstMs, loaded }: PageFigures): readonly string[] => [
    title,
    whole(medianMs),
    whole(worstMs),
    ...(loaded ? [whole(loaded.largestMs), loaded.shift.toFixed(3)] : []),
  ];
  const latencies = (name: string, { p50, p99, longest, others }: Latency): string => {
    const statuses = Object.entries(others).map(([status, count]) => `${status}: ${count}`);
    return row([name, p50.toFixed(1), p99.toFixed(1), longest.toFixed(1), statuses.join(', ')]);
  };
  const { alone, beside: busy, elsewhere, browsers, views } = beside;
  return [
    [
      row([
        `${clients} clients, ${requests} requests`,
        'first row, median',
        'worst',
        'largest paint, loaded by itself',
        'layout shift',
      ]),
      row(['---', '---:', '---:', '---:', '---:']),
      ...pages.map((page) => row(times(page))),
    ].join('\n'),
    [
      row(['Requests of 30 days', 'first row, median', 'worst']),
      row(['---', '---:', '---:']),
      ...searches.map((search) => row(times(search))),
    ].join('\n'),
    [
      row([
        `50 requests a second, while ${browsers} browsers open ${views} pages`,
        'p50, ms',
        'p99, ms',
        'longest, ms',
        'not 200',
      ]),
      row(['---', '---:', '---:', '---:', '---:']),
      latencies('/ready, nobody in the portal', alone.ready),
      latencies('/ready beside the browsers', busy.ready),
      latencies('/ready of an idle service beside the browsers', elsewhere),
      latencies('signed GET, nobody in the portal', alone.signed),
      latencies('signed GET beside the browsers', busy.signed),
    ].join('\n'),
  ].join('\n\n');
}

function neighborsTable({ perSecond, sides, ratios, answered }: NeighborsResult): string {
  const statuses = Object.entries(answered).map(([status, count]) => `${status}: ${count}`);
  const line = (name: string, { p50Ms, p99Ms }: NeighborsResult['sides']['alone']): string =>
    row([name, p50Ms.toFixed(2), p99Ms.toFixed(2)]);
  const ratio = (name: string, { median, quartiles }: NeighborsResult['ratios']['alone']): string =>
    row([`p99 ${name}, median (middle half)`, '', `${median.toFixed(2)} (${range(quartiles, 2)})`]);
  return [
    row([`Signed GET of one customer, ${perSecond}/s`, 'p50, ms', 'p99, ms']),
    row(['---', '---:', '---:']),
    line('alone', sides.alone),
    line('beside a hostile customer of another service on this machine', sides.elsewhere),
    line('beside a hostile customer of the same service', sides.beside),
    ratio('same service by alone', ratios.alone),
    ratio('same service by another service', ratios.elsewhere),
    row(['responses to the hostile customer, by status', '', statuses.join(', ')]),
  ].join('\n');
}

function nodesTable({ onePerSecond, twoPerSecond, ratio, quartiles, oneBusy, twoBusy }: NodesResult): string {
  const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
  return [
    row(['Signed POST on PostgreSQL and Redis', 'requests/s', 'processors busy']),
    row(['---', '---:', '---:']),
    row(['one process', onePerSecond.toFixed(0), percent(oneBusy)]),
    row(['two processes', twoPerSecond.toFixed(0), percent(twoBusy)]),
    row(['two by one, median (middle half)', `${ratio.toFixed(2)} (${range(quartiles, 2)})`, '']),
    row(['the most that this machine leaves room for', (1 / oneBusy).toFixed(2), '']),
  ].join('\n');
}

function threadsTable(result: ThreadsResult): string {
  const { one, two, ratio, quartiles, freeCores, share, shareQuartiles } = result;
  const cells = ({ perSecond, cpuMicroseconds, cores, p50Ms, p99Ms }: ThreadsFigures): string[] => [
    perSecond.toFixed(0),
    cpuMicroseconds.toFixed(0),
    cores.toFixed(2),
    p50Ms.toFixed(2),
    p99Ms.toFixed(2),
  ];
  return [
    [
      row([
        'Signed GET',
        'requests/s',
        'processor time, µs',
        'cores',
        `p50 at ${result.moderatePerSecond}/s, ms`,
        'p99, ms',
      ]),
      row(['---', '---:', '---:', '---:', '---:', '---:']),
      row(['one thread', ...cells(one)]),
      row(['two threads', ...cells(two)]),
    ].join('\n'),
    [
      row(['Two threads', 'median', 'middle half']),
      row(['---', '---:', '---:']),
      row(['their rate by that of one', ratio.toFixed(2), range(quartiles, 2)]),
      row(['cores that the sender and the API leave to them', freeCores.toFixed(2), '']),
      row(['the first by the second', share.toFixed(2), range(shareQuartiles, 2)]),
    ].join('\n'),
  ].join('\n\n');
}

function gatewayTables({ direct, behindNginx }: GatewayResult): string {
  const head = [
    'requests/s',
    'processor time, µs',
    `p50 at ${moderatePerSecond}/s, ms`,
    'p99, ms',
    'reached by the first',
    'middle half',
    'p50 of the first above it, ms',
  ];
  const table = (title: string, ways: readonly string[], results: readonly SideResult[]): string =>
    [
      row([title, ...head]),
      row(['---', ...head.map(() => '---:')]),
      ...results.map((one, index) =>
        row([
          ways[index]!,
          one.perSecond.toFixed(0),
          one.cpuMicroseconds.toFixed(0),
          one.p50Ms.toFixed(2),
          one.p99Ms.toFixed(2),
          ...(index === 0
            ? ['', '', '']
            : [
                `${(one.share * 100).toFixed(1)} %`,
                range(one.quartiles.map((value) => value * 100) as [number, number], 1),
                one.addedMs.toFixed(2),
              ]),
        ]),
      ),
    ].join('\n');
  const directNames = ['the gateway', 'bare proxy with the bare crypto', 'bare proxy'];
  const askedNames = ['our authorizer', 'one that accepts everything'];
  return [
    table('Signed GET', directNames, direct),
    table('Signed GET behind nginx', askedNames, behindNginx),
  ].join('\n\n');
}

function peersTable({ sides, skipped }: PeersResult): string {
  const table = [
    row(['GET', 'requests/s', 'processor time, µs', "the gateway's by this one's", 'middle half']),
    row(['---', '---:', '---:', '---:', '---:']),
    ...sides.map(({ name, perSecond, cpuMicroseconds, ratio: { median, quartiles } }, index) =>
      row([
        name,
        perSecond.toFixed(0),
        cpuMicroseconds.toFixed(0),
        ...(index === 0 ? ['', ''] : [median.toFixed(2), range(quartiles, 2)]),
      ]),
    ),
  ].join('\n');
  const without = skipped.map(({ name, missing }) => `${name} (needs ${missing})`);
  return without.length === 0 ? table : `${table}\n\nNot measured: ${without.join(', ')}.`;
}

function clientTable({ pair, inFlight, holds }: ClientResult): string {
  const milliseconds = (value: number): string => `${value.toFixed(1)} ms`;
  return [
    libraryTable([pair]),
    [
      row([
        `Event loop with ${inFlight} in flight`,
        'requests/s',
        'longest time between two turns',
        'most work of the thread in a turn',
        'requests that ended in it',
      ]),
      row(['---', '---:', '---:', '---:', '---:']),
      ...holds.map(({ name, perSecond, longestMs, longestCpuMs, endedInLongest }) =>
        row([
          name,
          perSecond.toFixed(0),
          milliseconds(longestMs),
          milliseconds(longestCpuMs),
          String(endedInLongest),
        ]),
      ),
    ].join('\n'),
  ].join('\n\n');
}

function proxyTable({ inProcessPerSecond, proxyPerSecond, ratio, quartiles }: ProxyResult): string {
  return [
    row(['Signed POST, 32 in flight, RSA 2048', 'requests/s']),
    row(['---', '---:']),
    row(['signed in process', inProcessPerSecond.toFixed(0)]),
    row(['signed by the proxy', proxyPerSecond.toFixed(0)]),
    row(['proxy by in process, median (middle half)', `${ratio.toFixed(2)} (${range(quartiles, 2)})`]),
  ].join('\n');
}

function memoryTable(result: MemoryResult): string {
  const { perSecond, capacityPerSecond, samples, rssSlope, heapSlope } = result;
  const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);
  return [
    row([
      `After seconds, at ${perSecond.toFixed(0)} of ${capacityPerSecond.toFixed(0)} requests/s`,
      'resident, MiB',
      'heap, MiB',
    ]),
    row(['---', '---:', '---:']),
    ...samples.map(({ seconds, rssBytes, heapBytes }) =>
      row([seconds.toFixed(0), mebibytes(rssBytes), mebibytes(heapBytes)]),
    ),
    row(['growth in the second half, MiB an hour', rssSlope.toFixed(0), heapSlope.toFixed(0)]),
  ].join('\n');
}

function range([low, high]: readonly [number, number], digits: number): string {
  return `${low.toFixed(digits)} to ${high.toFixed(digits)}`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
