// Records the requests that real clients and proxies send for their callers' input: `npm run record:mistakes`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readAccount } from '../corpus.ts';
import { type Recorder, startRecorder, type Wire } from '../recorder.ts';
import { differencesOf } from './difference.ts';
import { type Job, jobsOf, seedOf } from './plan.ts';
import { asBytes, type Bytes, type Exchange, writeExchanges } from './recording.ts';
import { proxyKinds, type ProxyKind, startProxy, upstreamPort } from './proxies.ts';
import { installedFolder, type Sender, type SenderKind, senderKinds, startSender } from './senders.ts';
import { setAsideProxyKinds } from './set-aside-proxies.ts';
import { signHeld } from './signing.ts';

const usage = `Usage: npm run record:mistakes -- [--install] [--only LANGUAGE|proxies|set-aside-proxies]...

Records in a network namespace of its own, which needs unshare and its rights. What is not installed is skipped by name.`;

const accounts = ['webshop', 'webshop', 'backoffice', 'mobile'] as const;

/** The maximum number per client of requests that arrive as signed, and of those that are changed in the same way. */
const unchangedMax = 20;
const alikeMax = 12;

/** Keyed by file name. `alikeMax` counts as above, for one client through one proxy. */
const proxies: Readonly<Record<string, { readonly some: readonly ProxyKind[]; readonly alikeMax: number }>> =
  {
    proxies: { some: proxyKinds, alikeMax: 4 },
    'set-aside-proxies': { some: setAsideProxyKinds, alikeMax: 2 },
  };

const throughProxies = {
  clients: ['node:http path', 'axios'],
  serialisers: ['JSON.stringify', 'JSON.stringify 2'],
  queries: ['URLSearchParams', 'encodeURIComponent'],
};

const options = readOptions();
const kinds = senderKinds.filter(
  ({ language }) => options.only.length === 0 || options.only.includes(language),
);
if (options.install) for (const kind of kinds) await install(kind);
else if (process.env['COUNTERSIGN_RECORDS'] === undefined) await recordInNamespace();
else await record();

function readOptions(): { readonly install: boolean; readonly only: readonly string[] } {
  try {
    const { values } = parseArgs({
      options: { install: { type: 'boolean', default: false }, only: { type: 'string', multiple: true } },
    });
    return { install: values.install, only: values.only ?? [] };
  } catch {
    console.error(usage);
    process.exit(2);
  }
}

async function install({ language, install: commands }: SenderKind): Promise<void> {
  const folder = join(installedFolder, language);
  mkdirSync(folder, { recursive: true });
  for (const command of commands) {
    const child = spawn('bash', ['-c', command], { cwd: folder, stdio: 'inherit' });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code === 0) continue;
    console.error(`${language}: cannot be installed`);
    process.exitCode = 1;
    return;
  }
}

/** The hosts of the service are this machine there, and no other host can be reached. */
async function recordInNamespace(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'recording-'));
  const hosts = join(folder, 'hosts');
  const names = readAccount().baseUrls.map((url) => new URL(url).hostname);
  writeFileSync(
    hosts,
    ['localhost', 'gateway.internal', ...names].map((name) => `127.0.0.1 ${name}\n`).join(''),
  );
  // Proxies name their machine in headers, and Squid leaves shared memory behind.
  const script =
    'ip link set lo up && hostname edge && mount -t tmpfs tmpfs /dev/shm && mount --bind "$1" /etc/hosts && shift && exec "$@"';
  const command = ['-c', script, 'sh', hosts, process.execPath, ...process.argv.slice(1)];
  const child = spawn('unshare', ['--net', '--mount', '--uts', 'sh', ...command], {
    stdio: 'inherit',
    env: { ...process.env, COUNTERSIGN_RECORDS: 'yes' },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = code ?? 1;
}

async function record(): Promise<void> {
  if (kinds.length > 0) await recordClients();
  for (const name of Object.keys(proxies))
    if (options.only.length === 0 || options.only.includes(name)) await recordProxies(name);
}

async function recordClients(): Promise<void> {
  const recorders = [await startRecorder(80), await startRecorder(8443)];
  try {
    for (const kind of kinds) {
      const sender = await startSender(kind);
      if (!sender) console.log(`${kind.language}: skipped, not installed`);
      else await recordLanguage(kind.language, sender, recorders);
      sender?.stop();
    }
  } finally {
    for (const recorder of recorders) await recorder.close();
  }
}

/** Node's clients through each proxy: one that sends a target as it is given, and one that does not. */
async function recordProxies(name: string): Promise<void> {
  const sender = await startSender(senderKinds.find(({ language }) => language === 'node')!);
  if (!sender) return;
  const recorder = await startRecorder(upstreamPort);
  const exchanges: Exchange[] = [];
  for (const kind of proxies[name]!.some) {
    const proxy = await startProxy(kind);
    const before = exchanges.length;
    for (const [index, job] of (proxy ? jobsOf(kind.name, throughProxies) : []).entries()) {
      const exchange = await recordJob('node', job, index, sender, [recorder]);
      if (exchange) exchanges.push({ ...exchange, proxy: `proxy/${kind.name}` });
    }
    await proxy?.stop();
    console.log(
      `${kind.name}: ${proxy ? `${exchanges.length - before} recorded` : 'skipped, does not start'}`,
    );
  }
  sender.stop();
  await recorder.close();
  const written = kept(exchanges, proxies[name]!.alikeMax);
  writeExchanges(name, written);
  console.log(`${name}: ${exchanges.length} recorded, ${written.length} kept`);
}

async function recordLanguage(
  language: string,
  sender: Sender,
  recorders: readonly Recorder[],
): Promise<void> {
  const exchanges: Exchange[] = [];
  let refused = 0;
  for (const [index, job] of jobsOf(language, sender.installed).entries()) {
    const exchange = await recordJob(language, job, index, sender, recorders);
    if (exchange) exchanges.push(exchange);
    else refused += 1;
  }
  const written = kept(exchanges);
  writeExchanges(language, written);
  console.log(
    `${language}: ${exchanges.length} recorded, ${written.length} kept, ${refused} refused by the client`,
  );
}

async function recordJob(
  language: string,
  job: Job,
  index: number,
  sender: Sender,
  recorders: readonly Recorder[],
): Promise<Exchange | undefined> {
  const clock = Date.UTC(2026, index % 12, 1 + (index % 27), index % 24, index % 60, 5) / 1000;
  const account = accounts[index % accounts.length]!;
  for (const recorder of recorders) recorder.take();
  let held: Exchange['held'] | undefined;
  let signed: ReadonlyMap<string, string> = new Map();
  await sender.send(job, ({ url, body }) => {
    held = {
      method: job.method,
      url: url.replace(/^http:/i, (scheme) => (scheme === 'http:' ? 'https:' : 'HTTPS:')),
      ...(body && { body: asBytes(body) }),
    };
    signed = signHeld({ held, clock, account });
    const type = job.contentType === undefined ? [] : [['Content-Type', job.contentType] as const];
    return [...type, ...[...signed].map(([name, value]) => [spelled(name), value] as const)];
  });
  const [wire] = recorders.flatMap((recorder) => recorder.take());
  if (!held || !wire || !isAcceptable(wire)) return undefined;
  const named = (name: string | undefined): string | undefined => name && `${language}/${name}`;
  const signs = named(job.signs);
  const sends = named(job.sends);
  return {
    client: `${language}/${job.client}`,
    way: job.way,
    ...(signs && { signs }),
    ...(sends && { sends }),
    clock,
    account,
    held,
    arrived: arrivedOf(wire, signed, held.body),
  };
}

/** No server accepts a target with a space or a line break in it, or without a leading slash. */
function isAcceptable({ method, target }: Wire): boolean {
  return method !== '' && target.startsWith('/') && !target.includes(' ');
}

function spelled(name: string): string {
  return name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

function arrivedOf(
  { method, target, host, headers, body }: Wire,
  signed: ReadonlyMap<string, string>,
  held: Bytes | undefined,
): Exchange['arrived'] {
  const bytes = asBytes(body);
  const isHeld = JSON.stringify(bytes) === JSON.stringify(held ?? '');
  return {
    method,
    target,
    host,
    headers: headers.map(([name, value]) =>
      signed.get(name.toLowerCase()) === value ? [name] : [name, value],
    ),
    ...(!isHeld && { body: bytes }),
  };
}

/** Omits most of the changes that a client makes to everything, at random. */
function kept(exchanges: readonly Exchange[], alikeByProxyMax = 0): readonly Exchange[] {
  const counts = new Map<string, number>();
  const chosen = shuffled(exchanges).filter((exchange) => {
    const changes = differencesOf(exchange).map(({ part, kind }) => `${part}: ${kind}`);
    const family = [exchange.client, exchange.proxy, ...changes].join(' / ');
    const count = (counts.get(family) ?? 0) + 1;
    counts.set(family, count);
    const isDirect = exchange.proxy === undefined;
    if (!isDirect) return count <= alikeByProxyMax;
    if (changes.length === 0) return count <= unchangedMax;
    return exchange.way === 'url' || count <= alikeMax;
  });
  const isKept = new Set(chosen);
  return exchanges.filter((exchange) => isKept.has(exchange));
}

function shuffled(exchanges: readonly Exchange[]): readonly Exchange[] {
  const keyed = exchanges.map((exchange) => [seedOf(JSON.stringify(exchange)), exchange] as const);
  return keyed.toSorted(([a], [b]) => a - b).map(([, exchange]) => exchange);
}
