import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Installed, Job } from './plan.ts';

/**
 * The folder in which `npm run record:mistakes -- --install` puts the senders' libraries: outside of the
 * repository.
 */
export const installedFolder: string = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'countersign',
  'senders',
);

const sources = fileURLToPath(new URL('senders/', import.meta.url));

/** A program that sends with the libraries of one language. */
export interface SenderKind {
  readonly language: string;
  /** Shell commands that install its libraries, in its folder. */
  readonly install: readonly string[];
  readonly command: readonly string[];
}

const source = (name: string): string => join(sources, name);

export const senderKinds: readonly SenderKind[] = [
  {
    language: 'node',
    install: [
      `cp ${source('node.package.json')} package.json`,
      'npm install --no-audit --no-fund --ignore-scripts',
    ],
    command: [process.execPath, source('node.js')],
  },
  {
    language: 'python',
    install: ['python3 -m venv .', `bin/pip install --quiet -r ${source('python.txt')}`],
    command: [join(installedFolder, 'python/bin/python'), source('python.py')],
  },
  {
    language: 'go',
    install: [
      `cp ${source('go.go')} main.go`,
      '[ -f go.mod ] || go mod init senders',
      'go mod tidy',
      'go build -o sender .',
    ],
    command: [join(installedFolder, 'go/sender')],
  },
  {
    language: 'java',
    install: [
      `cp ${source('java.pom.xml')} pom.xml`,
      'mvn -q -B dependency:copy-dependencies -DoutputDirectory=lib',
      `javac -cp 'lib/*' -d . ${source('Java.java')}`,
    ],
    command: ['java', '-Djdk.httpclient.allowRestrictedHeaders=date', '-cp', '.:lib/*', 'Java'],
  },
  {
    language: 'rust',
    install: [
      `cp ${source('rust.Cargo.toml')} Cargo.toml`,
      `cp ${source('rust.Cargo.lock')} Cargo.lock`,
      `cp ${source('rust.rs')} main.rs`,
      'cargo build --quiet --locked --target-dir target',
    ],
    command: [join(installedFolder, 'rust/target/debug/sender')],
  },
  // Debian's mono-mcs, libnewtonsoft-json5.0-cil and libmono-system-web-extensions4.0-cil.
  {
    language: 'csharp',
    install: [
      'cp /usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll .',
      `mcs -out:sender.exe -r:System.Net.Http -r:System.Web -r:System.Web.Extensions -r:Newtonsoft.Json.dll ${source('CSharp.cs')}`,
    ],
    command: ['mono', 'sender.exe'],
  },
  // Libraries of Debian's packages: for Perl libwww-perl, libfurl-perl, libmojolicious-perl, libjson-xs-perl and
  // libcpanel-json-xs-perl; for PHP php-guzzlehttp-guzzle and php-symfony-http-client; for Ruby ruby-faraday,
  // ruby-httparty, ruby-rest-client, ruby-excon, ruby-httpclient, ruby-typhoeus, ruby-http, ruby-oj and ruby-activesupport.
  { language: 'perl', install: [], command: ['perl', source('perl.pl')] },
  { language: 'php', install: [], command: ['php', source('php.php')] },
  { language: 'ruby', install: [], command: ['ruby', source('ruby.rb')] },
  {
    language: 'shell',
    install: [],
    command: ['bash', source('shell.sh')],
  },
];

/** The author's request, or undefined if the program rejected it. */
export type Held = { readonly url: string; readonly body: Buffer | undefined };

/** A running sender. A sender that hangs is restarted. */
export interface Sender {
  readonly installed: Installed;
  /** Returns the text that a serialiser creates, or undefined if it cannot. */
  serialise(signs: string, data: string): Promise<Buffer | undefined>;
  /** Sends a job with the headers for its author's request. False if the program rejected it. */
  send(
    job: Job,
    headersFor: (held: Held) => readonly (readonly [string, string])[],
  ): Promise<Held | undefined>;
  stop(): void;
}

interface Answer {
  readonly held?: { readonly url: string; readonly body: string | null };
  readonly error?: string;
}

const answerMillisecondsMax = 8000;

/** Undefined if the language or all of its libraries are missing. */
export async function startSender(kind: SenderKind): Promise<Sender | undefined> {
  let running: Lines | undefined;
  const start = async (): Promise<Installed | undefined> => {
    running = open(kind);
    return (await running.ask(undefined, 60_000)) as Installed | undefined;
  };
  const installed = await start();
  if (!installed) return undefined;
  const ask = async (line: string): Promise<Answer | undefined> => {
    if (!running) await start();
    const answer = (await running!.ask(line, answerMillisecondsMax)) as Answer | undefined;
    if (!answer) {
      running!.kill();
      running = undefined;
    }
    return answer;
  };
  return {
    installed,
    serialise: async (signs, data) => {
      const { held } = (await ask(lineOf({ way: 'serialise', signs }, data))) ?? {};
      return typeof held?.body === 'string' ? Buffer.from(held.body, 'base64') : undefined;
    },
    send: async ({ data, ...job }, headersFor) => {
      const { held } = (await ask(lineOf(job, data))) ?? {};
      if (!held) return undefined;
      const body = held.body === null ? undefined : Buffer.from(held.body, 'base64');
      const whole = { url: held.url, body };
      await ask(JSON.stringify({ headers: headersFor(whole) }));
      return whole;
    },
    stop: () => running?.kill(),
  };
}

/** The data stays text: parsing it here would change its numbers. */
function lineOf(job: object, data: string | undefined): string {
  const text = JSON.stringify(job);
  return data === undefined ? text : `${text.slice(0, -1)},"data":${data}}`;
}

interface Lines {
  ask(line: string | undefined, millisecondsMax: number): Promise<unknown>;
  kill(): void;
}

function open({ language, command }: SenderKind): Lines {
  const [program, ...rest] = command;
  const child: ChildProcess = spawn(program!, rest, {
    stdio: ['pipe', 'pipe', process.env['DEBUG_SENDERS'] ? 'inherit' : 'ignore'],
    cwd: join(installedFolder, language),
    env: { ...process.env, TZ: 'Europe/Berlin', NODE_ENV: 'production' },
  });
  let isOver = false;
  const waiting: ((line: string | undefined) => void)[] = [];
  const end = (): void => {
    isOver = true;
    for (const tell of waiting.splice(0)) tell(undefined);
  };
  child.on('error', end);
  child.on('exit', end);
  child.stdin!.on('error', end);
  createInterface({ input: child.stdout! }).on('line', (line) => waiting.shift()?.(line));
  return {
    ask: async (line, millisecondsMax) => {
      if (isOver) return undefined;
      const answer = await new Promise<string | undefined>((resolve) => {
        const timer = setTimeout(resolve, millisecondsMax, undefined);
        waiting.push((text) => {
          clearTimeout(timer);
          resolve(text);
        });
        if (line !== undefined) child.stdin!.write(`${line}\n`);
      });
      try {
        return answer === undefined ? undefined : JSON.parse(answer);
      } catch {
        return undefined;
      }
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
