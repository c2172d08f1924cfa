import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dateOf, paymentDraft } from '@countersign/testing/draft';
import { keyPair } from '@countersign/testing/running-service';
import { codeOf, sendDraft } from '@countersign/testing/send-draft';
import { type Ending, ServiceProcess, signalAtMoment } from '@countersign/testing/service-process';
import { patienceMs } from '@countersign/testing/wait-until';
import { openLocalRegistry } from '../../packages/server/src/registry/local-registry.ts';

export interface StopsOptions {
  /** The number of moments during a start, spread evenly. */
  readonly moments: number;
  /** The number of services at a time. */
  readonly lanes: number;
  /** The file of a built service; its sources by default. */
  readonly program?: string | undefined;
  readonly onProgress?: (text: string) => void;
}

export interface Stops {
  readonly moments: number;
  /** A sentence for each start that ended incorrectly. */
  readonly failures: readonly string[];
}

type Program = StopsOptions['program'];

/**
 * Starts a service for each moment, sends it SIGTERM then, and checks how it ends and what it leaves for the
 * next start.
 */
export async function stopAtMoments({ moments, lanes, program, onProgress }: StopsOptions): Promise<Stops> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-stops-'));
  try {
    const used = await prepareGround(join(folder, 'counted-used'));
    const namesOf = {
      first: await momentsOfStart(join(folder, 'counted-first'), program),
      later: await momentsOfStart(used.dataFolder, program),
    };
    for (const [kind, names] of Object.entries(namesOf))
      onProgress?.(`A ${kind} start has ${names.length} moments, from "${names[0]}" to "${names.at(-1)}".`);
    const chosen = Array.from({ length: moments }, (_, index) => {
      const kind = index % 2 === 0 ? 'first' : 'later';
      return { kind, moment: Math.floor((index * namesOf[kind].length) / moments) + 1 } as const;
    });
    const failures: string[] = [];
    let done = 0;
    const lane = async (number: number): Promise<void> => {
      const ground = await prepareGround(join(folder, `lane-${number}`));
      for (let next = chosen.shift(); next !== undefined; next = chosen.shift()) {
        const { kind, moment } = next;
        const wrong = await (kind === 'first'
          ? stopFirst(moment, join(ground.dataFolder, `first-${moment}`), program)
          : stopLater(moment, ground, program));
        const name = namesOf[kind][moment - 1];
        failures.push(...wrong.map((text) => `${kind} start, at moment ${moment} (${name}): ${text}`));
        done += 1;
        if (done % 20 === 0) onProgress?.(`${done} of ${moments}, ${failures.length} failed`);
      }
    };
    await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
    return { moments, failures };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Counts the moments until a service reports that it serves. */
async function momentsOfStart(dataFolder: string, program: Program): Promise<readonly string[]> {
  const momentsFile = `${dataFolder}-moments`;
  const service = new ServiceProcess(
    dataFolder,
    { ...preloaded, MOMENTS_FILE: momentsFile },
    undefined,
    program,
  );
  try {
    await service.listening();
  } finally {
    await service.end('SIGTERM');
  }
  const names = readFileSync(momentsFile, 'utf8').trimEnd().split('\n');
  const last = names.findIndex((name) => name.startsWith('print Countersign listens'));
  return names.slice(0, last + 1);
}

const preloaded = { NODE_OPTIONS: `--import=${signalAtMoment}` };

/** A data folder with a client, whose services accept requests between two starts that are stopped. */
interface Ground {
  readonly dataFolder: string;
  readonly clientId: string;
}

async function prepareGround(dataFolder: string): Promise<Ground> {
  const registry = await openLocalRegistry({ dataFolder, createIfMissing: true });
  const { clientId } = await registry.addClient({
    name: 'Test client',
    publicKey: keyPair.publicKey,
    network: [{ entry: '0.0.0.0' }],
    roles: ['payments-operator'],
  });
  await registry.close();
  return { dataFolder, clientId };
}

/** Stops a start from an empty folder. */
async function stopFirst(moment: number, dataFolder: string, program: Program): Promise<readonly string[]> {
  const wrong = await stopAt(moment, dataFolder, program);
  rmSync(dataFolder, { recursive: true, force: true });
  return wrong;
}

/** Stops a start of a service that has been in use, which must then serve at once. */
async function stopLater(moment: number, ground: Ground, program: Program): Promise<readonly string[]> {
  return [...(await stopAt(moment, ground.dataFolder, program)), ...(await serveOnce(ground, program))];
}

async function stopAt(moment: number, dataFolder: string, program: Program): Promise<readonly string[]> {
  const service = new ServiceProcess(
    dataFolder,
    { ...preloaded, SIGNAL_AT: String(moment) },
    undefined,
    program,
  );
  return wrongEnding(await endingOf(service), service.output);
}

/** Starts a service, which accepts a request, and stops it. */
async function serveOnce({ dataFolder, clientId }: Ground, program: Program): Promise<readonly string[]> {
  const service = new ServiceProcess(dataFolder, {}, undefined, program);
  const port = Number(new URL(await service.listening()).port);
  const created = Math.floor(Date.now() / 1000);
  const draft = { ...paymentDraft(clientId), created, date: dateOf(created) };
  const code = codeOf(await sendDraft({ port }, draft));
  const wrong = code === '201' ? [] : [`the next start answers a signed request with ${code}`];
  return [...wrong, ...wrongEnding(await service.end('SIGTERM'), service.output)];
}

/** Waits until a service has ended by itself; kills one that keeps running. */
async function endingOf(service: ServiceProcess): Promise<Ending> {
  const late = setTimeout(() => void service.end('SIGKILL'), patienceMs);
  const ending = await service.ended;
  clearTimeout(late);
  return ending;
}

function wrongEnding({ code, signal }: Ending, output: string): readonly string[] {
  const isClean = code === 0 && signal === null && output.trimEnd().endsWith('stopped.');
  if (isClean) return [];
  return [signal === 'SIGKILL' ? 'it ran on' : `it ended with ${code ?? signal}: ${output}`];
}
