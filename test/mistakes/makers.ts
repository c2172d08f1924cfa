import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { privateKeys } from './account.ts';
import type { Job, Maker } from './plan/slips.ts';
import type { Recorder, Wire } from './recorder.ts';

/** The request that a maker sent for a job, and the base it signed. */
export interface Made {
  readonly wire: Wire;
  readonly base: string;
}

/** Makes one maker send its jobs to the recorder, one by one. Throws if one fails. */
export async function runMaker(
  maker: Maker,
  jobs: readonly Job[],
  recorder: Recorder,
  folder: string,
): Promise<Made[]> {
  const prepared = jobs.map((job, index) => prepare(job, `${maker}-${index}`, recorder.port, folder));
  await (maker === 'shell' ? runShell(prepared) : run(commands[maker](), inputs[maker](prepared)));
  const wires = recorder.take();
  if (wires.length !== jobs.length)
    throw new Error(`${maker}: ${wires.length} requests for ${jobs.length} jobs`);
  return wires.map((wire, index) => ({ wire, base: readFileSync(prepared[index]!.baseFile, 'utf8') }));
}

interface PreparedJob extends Job {
  readonly port: number;
  readonly keyFile: string;
  readonly bodyFile: string;
  readonly baseFile: string;
}

function prepare(job: Job, name: string, port: number, folder: string): PreparedJob {
  mkdirSync(folder, { recursive: true });
  const keyFile = join(folder, `${job.key}.pem`);
  writeFileSync(keyFile, privateKeys().get(job.key)!, { mode: 0o600 });
  const bodyFile = job.text === '' ? '' : join(folder, `${name}.body`);
  if (bodyFile) writeFileSync(bodyFile, job.text);
  return { ...job, port, keyFile, bodyFile, baseFile: join(folder, `${name}.base`) };
}

const makers = fileURLToPath(new URL('makers', import.meta.url));

const commands: Record<Exclude<Maker, 'shell'>, () => string[]> = {
  python: () => ['python3', join(makers, 'signer.py')],
  java: () => [
    'java',
    '-Dline.separator=\r\n',
    '-Djdk.httpclient.allowRestrictedHeaders=date',
    join(makers, 'Signer.java'),
  ],
  php: () => ['php', join(makers, 'signer.php')],
  node: () => [process.execPath, join(makers, 'signer.mjs')],
};

const inputs: Record<Exclude<Maker, 'shell'>, (jobs: readonly PreparedJob[]) => string> = {
  python: (jobs) => JSON.stringify(jobs),
  php: (jobs) => JSON.stringify(jobs),
  node: (jobs) => JSON.stringify(jobs),
  // Java's standard library cannot read JSON.
  java: (jobs) =>
    jobs
      .map((job) =>
        Object.entries({ ...job, data: '', slips: job.slips.join(',') })
          .map(([name, value]) => `${name}=${Buffer.from(String(value)).toString('base64')}`)
          .join('\t'),
      )
      .join('\n'),
};

async function runShell(jobs: readonly PreparedJob[]): Promise<void> {
  for (const job of jobs) {
    await run(['bash', join(makers, 'signer.sh')], '', {
      JOB: job.id,
      SLIPS: job.slips.join(' '),
      METHOD: job.method,
      URL: job.url,
      BODY_FILE: job.bodyFile,
      CONTENT_TYPE: job.contentType,
      CLIENT_ID: job.clientId,
      KEY_FILE: job.keyFile,
      CLOCK: String(job.clock),
      PORT: String(job.port),
      BASE_FILE: job.baseFile,
    });
  }
}

async function run(
  command: string[],
  input: string,
  environment: Record<string, string> = {},
): Promise<void> {
  const [program, ...rest] = command;
  const child = spawn(program!, rest, {
    stdio: ['pipe', 'ignore', 'inherit'],
    env: { ...process.env, TZ: 'Europe/Berlin', ...environment },
  });
  child.stdin.end(input);
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}
