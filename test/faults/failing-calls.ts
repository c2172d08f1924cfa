import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The kinds of system calls that can fail, in the order of the enumeration in failing-calls.c. */
export const callKinds = [
  'open',
  'read',
  'write',
  'sync',
  'truncate',
  'rename',
  'remove',
  'accept',
  'connect',
  'send',
  'receive',
  'print',
] as const;
export type CallKind = (typeof callKinds)[number];

/**
 * The ways in which a call can fail: a system error, the end of the process, or half a write and then a full
 * disk.
 */
const effectNumbers = {
  EIO: constants.errno.EIO,
  ENOSPC: constants.errno.ENOSPC,
  EMFILE: constants.errno.EMFILE,
  EPIPE: constants.errno.EPIPE,
  ECONNABORTED: constants.errno.ECONNABORTED,
  ECONNREFUSED: constants.errno.ECONNREFUSED,
  ETIMEDOUT: constants.errno.ETIMEDOUT,
  kill: 1000,
  half: 1001,
} as const;
export type Effect = keyof typeof effectNumbers;

export function isEffect(text: string): text is Effect {
  return Object.hasOwn(effectNumbers, text);
}

/** One call that fails. */
export interface Fault {
  /** The life of the service in which it fails, from 1. */
  readonly life: number;
  readonly kind: CallKind;
  /** Among the calls of its kind in that life, from 1. */
  readonly position: number;
  readonly effect: Effect;
  /**
   * True to kill the service as soon as it has rejected a request because of the failure, before anything
   * else is written.
   */
  readonly thenKill?: boolean;
}

/** The number of calls of each kind. */
export type CallCounts = Readonly<Record<CallKind, number>>;

/** The calls of one life. */
export interface LifeCalls {
  readonly counts: CallCounts;
  /** The failed call; undefined if none has failed. */
  readonly failed: string | undefined;
}

const sourceFile = fileURLToPath(new URL('failing-calls.c', import.meta.url));

/** The reason why calls cannot be failed on this machine; false if they can. */
export const callsCannotFail: string | false = whyNot();

function whyNot(): string | false {
  if (process.platform !== 'linux') return 'calls are failed by preloading a library on Linux';
  return spawnSync('gcc', ['--version']).status === 0 ? false : 'gcc is not installed';
}

/** Compiles the library that fails calls, and returns its file. */
export function compileFailingCalls(folder: string): string {
  const library = join(folder, 'failing-calls.so');
  const { status, stderr } = spawnSync(
    'gcc',
    ['-std=gnu11', '-Wall', '-Werror', '-O1', '-shared', '-fPIC', '-o', library, sourceFile, '-ldl'],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`The library that fails calls was not compiled:\n${stderr}`);
  return library;
}

const wordBytes = 4;
const countsOffset = 5 * wordBytes;
const callOffset = countsOffset + callKinds.length * wordBytes;
const callBytes = 200;

/** The calls of one service: counts them, and fails one in each life. */
export class FailingCalls {
  readonly #descriptor: number;
  readonly #past: LifeCalls[] = [];
  #hasBegun = false;
  /** Give it to the service. */
  readonly environment: Readonly<Record<string, string>>;

  /**
   * @param library from `compileFailingCalls`
   * @param folder whose files count
   */
  constructor(library: string, controlFile: string, folder: string) {
    writeFileSync(controlFile, Buffer.alloc(callOffset + callBytes));
    this.#descriptor = openSync(controlFile, 'r+');
    this.environment = {
      LD_PRELOAD: library,
      FAILING_CALLS_CONTROL: controlFile,
      FAILING_CALLS_FOLDER: folder,
    };
  }

  /** Counts from now on: nothing, files in the folder and sockets, or the opening of every other file too. */
  count(scope: 'nothing' | 'folder' | 'everything'): void {
    this.#write(0, ['nothing', 'folder', 'everything'].indexOf(scope));
  }

  /** Begins a life while no process runs: counts from 0, and fails this call when it occurs. */
  begin(fault?: Fault): void {
    if (this.#hasBegun) this.#past.push(this.#life);
    this.#hasBegun = true;
    const afterScope = Buffer.alloc(callOffset + callBytes - wordBytes);
    writeSync(this.#descriptor, afterScope, 0, afterScope.length, wordBytes);
    if (fault) this.fail(fault);
  }

  /** Fails this call of the current life when it occurs. */
  fail({ kind, position, effect }: Fault): void {
    this.#write(1, callKinds.indexOf(kind));
    this.#write(3, effectNumbers[effect]);
    this.#write(2, position);
  }

  /** The lives that were begun, in their order. */
  get lives(): readonly LifeCalls[] {
    return [...this.#past, this.#life];
  }

  get #life(): LifeCalls {
    return { counts: this.counts, failed: this.failed };
  }

  /** The call that has failed in this life; undefined if none has. */
  get failed(): string | undefined {
    const control = this.#read();
    if (control.readUInt32LE(4 * wordBytes) === 0) return undefined;
    const text = control.subarray(callOffset);
    return text.subarray(0, text.indexOf(0)).toString();
  }

  /** Of this life so far. */
  get counts(): CallCounts {
    const control = this.#read();
    const entries = callKinds.map((kind, index) => [
      kind,
      control.readUInt32LE(countsOffset + index * wordBytes),
    ]);
    return Object.fromEntries(entries) as CallCounts;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #read(): Buffer {
    const control = Buffer.alloc(callOffset + callBytes);
    readSync(this.#descriptor, control, 0, control.length, 0);
    return control;
  }

  #write(word: number, value: number): void {
    const bytes = Buffer.alloc(wordBytes);
    bytes.writeUInt32LE(value);
    writeSync(this.#descriptor, bytes, 0, wordBytes, word * wordBytes);
  }
}
