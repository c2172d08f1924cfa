import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { AlgorithmName } from '@countersign/signature';
import { freePort } from '@countersign/testing/free-port';
import { type KeyPair, makeKeyPairFor } from '@countersign/testing/key-pair';
import { closeServer, listenOn } from '@countersign/testing/listen-on';
import { keyPair, type RunningService, runService } from '@countersign/testing/running-service';
import { type SignerPackage, startScript } from './packages.ts';
import { echoOf, type LiveRequest, randomRequests, saysItsLength } from './random-requests.ts';

/** A response of a signer's program, a line of JSON on its standard output. */
interface LiveAnswer {
  readonly id: number;
  readonly status?: number;
  readonly code?: string | null;
  /** Base64. */
  readonly body?: string;
  /** The code of an error before anything was sent. */
  readonly error?: string;
  readonly message?: string;
}

/** The results of the random requests of one HTTP client. */
export interface LiveResult {
  readonly client: string;
  readonly accepted: number;
  /** Requests that the signer rejected before sending, because the client would not send their URL unchanged. */
  readonly rejectedBefore: number;
  /** All unexpected results. */
  readonly failures: readonly string[];
}

/** A registered client. */
export interface LiveClient {
  readonly clientId: string;
  readonly privateKeyFile: string;
}

/** A running service in front of an API that reports what it received, with a client that has an RSA key. */
export interface LiveService extends LiveClient {
  readonly baseUrl: string;
  /** Registers a client with a key for another algorithm. */
  addClient(algorithm: AlgorithmName): Promise<LiveClient>;
  close(): Promise<void>;
}

/** Starts the service and the API behind it, and registers a client. */
export async function startLiveService(): Promise<LiveService> {
  const upstream = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => response.end(echoOf(request.method!, Buffer.concat(chunks))));
  });
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const running = await runService({
    COUNTERSIGN_API_PORT: String(port),
    COUNTERSIGN_API_BASE_URLS: baseUrl,
    COUNTERSIGN_UPSTREAM: await listenOn(upstream),
    COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '10000000',
    COUNTERSIGN_CLIENT_REQUESTS_BURST_MAX: '1000000',
  });
  const folder = await mkdtemp(join(tmpdir(), 'countersign-live-'));
  const addClient = async (name: string, pair: KeyPair): Promise<LiveClient> => {
    const privateKeyFile = join(folder, `${name}.pem`);
    await writeFile(privateKeyFile, pair.privateKey, { mode: 0o600 });
    const { clientId } = await running.addClient({ roles: ['api-user'], keyPair: pair });
    return { clientId, privateKeyFile };
  };
  return {
    baseUrl,
    ...(await addClient('private', keyPair)),
    addClient: (algorithm) => addClient(algorithm, makeKeyPairFor(algorithm)),
    close: () => close(running, upstream, folder),
  };
}

async function close(running: RunningService, upstream: Server, folder: string): Promise<void> {
  await running.close();
  await closeServer(upstream);
  await rm(folder, { recursive: true, force: true });
}

/** The random requests to send. */
interface RequestPlan {
  /** How many through each client. */
  readonly count: number;
  readonly seed: number;
  /** What they are signed with, unless it is RSA. */
  readonly algorithm?: AlgorithmName;
}

/** Sends random requests to a running service through each HTTP client of a package. */
export async function sendThrough(
  one: SignerPackage,
  service: LiveService,
  { count, seed, algorithm }: RequestPlan,
): Promise<readonly LiveResult[]> {
  const signing = algorithm === undefined ? service : await service.addClient(algorithm);
  for (let crashes = 0; ; crashes++) {
    const { code, clients, sent, answers, output } = await runLive(one, service.baseUrl, signing, {
      count,
      // Repeating a request that got its response before a crash would be a replay.
      seed: seed + 1_000_003 * crashes,
    });
    if (code === 0)
      return clients.map((client) =>
        judge(
          client,
          sent.filter((request) => request.client === client),
          answers,
        ),
      );
    // Mono aborts now and then in its thread pool (mono-threads.c, `previous_token`), whatever program it runs.
    const isCrash = output.includes('Native Crash Reporting');
    if (!isCrash || crashes === crashesMax)
      throw new Error(`live.sh of ${one.language} ended with ${code}:\n${output}`);
  }
}

/** The limit for an interpreter, in a row. */
const crashesMax = 2;

interface LiveRun {
  readonly code: number | null;
  readonly clients: readonly string[];
  readonly sent: readonly LiveRequest[];
  readonly answers: ReadonlyMap<number, LiveAnswer>;
  /** The end of the program's output besides its responses. */
  readonly output: string;
}

async function runLive(
  one: SignerPackage,
  baseUrl: string,
  { clientId, privateKeyFile }: LiveClient,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<LiveRun> {
  const child = startScript(one, 'live.sh', { CLIENT_ID: clientId, PRIVATE_KEY_FILE: privateKeyFile });
  let output = '';
  const keep = (text: string): void => void (output = (output + text).slice(-60_000));
  child.stderr!.setEncoding('utf8').on('data', keep);
  // A program that ends early reports it by its exit code.
  child.stdin!.on('error', () => undefined);
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done === true) throw new Error(`live.sh of ${one.language} ended at once:\n${output}`);
  const { clients } = JSON.parse(first.value) as { clients: readonly string[] };
  const sent = clients
    .flatMap((client, index) =>
      randomRequests(client, { baseUrl, count, seed: seed + 2 * index, mayBeFramed: true }),
    )
    .map((request, id) => ({ ...request, id }));
  for (const request of sent) child.stdin!.write(`${JSON.stringify(request)}\n`);
  child.stdin!.end();
  const answers = new Map<number, LiveAnswer>();
  for await (const line of { [Symbol.asyncIterator]: () => lines }) {
    if (!line.startsWith('{')) {
      keep(`${line}\n`);
      continue;
    }
    const answer = JSON.parse(line) as LiveAnswer;
    answers.set(answer.id, answer);
  }
  const [code] = (await closed) as [number | null];
  return { code, clients, sent, answers, output };
}

function judge(
  client: string,
  sent: readonly LiveRequest[],
  answers: ReadonlyMap<number, LiveAnswer>,
): LiveResult {
  const failures: string[] = [];
  let accepted = 0;
  let rejectedBefore = 0;
  for (const request of sent) {
    const answer = answers.get(request.id);
    const failure = failureOf(request, answer);
    if (failure !== undefined) failures.push(`${request.method} ${request.url}: ${failure}`);
    else if (answer!.error === undefined) accepted++;
    else rejectedBefore++;
  }
  return { client, accepted, rejectedBefore, failures };
}

function failureOf(request: LiveRequest, answer: LiveAnswer | undefined): string | undefined {
  if (answer === undefined) return 'no answer';
  const { status, code, error, message } = answer;
  if (error !== undefined)
    return error === 'request_invalid' || saysItsLength(request) ? undefined : `${error}: ${message}`;
  if (status !== 200) return `${status} ${code ?? ''} ${message ?? ''}`;
  if (request.method === 'HEAD') return undefined;
  const echo = Buffer.from(answer.body ?? '', 'base64').toString();
  const expected = echoOf(request.method, Buffer.from(request.body ?? '', 'base64'));
  return echo === expected ? undefined : `the API received ${echo}, not ${expected}`;
}
