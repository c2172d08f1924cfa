import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { pair } from './key-files.ts';
import { type Ended, run } from './run.ts';

/** A running proxy. */
export interface RunningProxy {
  /** For callers, like `http://127.0.0.1:12345`. */
  readonly address: string;
  readonly port: number;
  readonly folder: string;
  readonly keyFile: string;
  /** Where the metrics are; empty unless asked for. */
  readonly metricsAddress: string;
  /** Everything that it has written to standard error. */
  readonly notes: () => string;
  /** Stops it as a signal does. */
  readonly stop: () => Promise<Ended>;
}

export interface ProxyOptions {
  readonly target: string;
  readonly clientId?: string;
  readonly privateKey?: string;
  readonly argv?: readonly string[];
  readonly listen?: string;
}

/** Starts the command in this process, and waits until it listens. It is stopped after the test. */
export async function startProxy(
  t: Pick<TestContext, 'after'>,
  options: ProxyOptions,
): Promise<RunningProxy> {
  const { target, clientId = 'client_test', privateKey = pair.privateKey, argv = [], listen = '0' } = options;
  const folder = temporaryFolder(t);
  const keyFile = join(folder, 'private.pem');
  writeFileSync(keyFile, privateKey, { mode: 0o600 });
  const stopped = Promise.withResolvers<void>();
  const listening = Promise.withResolvers<string>();
  let notes = '';
  const given = [
    '--target',
    target,
    '--client-id',
    clientId,
    '--key',
    'private.pem',
    '--listen',
    listen,
    ...argv,
  ];
  const ended = run(['proxy', ...given], {
    folder,
    stop: stopped.promise,
    onErrors(more) {
      notes += more;
      const address = /^Send requests to (\S+);/m.exec(notes)?.[1];
      if (address !== undefined) listening.resolve(address);
    },
  });
  void ended.then(({ errors }) => listening.reject(new Error(errors)));
  const stop = async (): Promise<Ended> => {
    stopped.resolve();
    return ended;
  };
  t.after(stop);
  const address = await listening.promise;
  return {
    address,
    port: Number(/:(\d+)$/.exec(address)?.[1]),
    folder,
    keyFile,
    metricsAddress: /^Metrics are at (\S+)\/metrics\.$/m.exec(notes)?.[1] ?? '',
    notes: () => notes,
    stop,
  };
}

/** Sends bytes as they are and returns everything that comes back until the connection ends. */
export async function sendRaw(port: number, request: string | Uint8Array): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.setEncoding('latin1');
  const answer = text(socket);
  socket.write(request);
  return answer;
}

/** A request in text that ends its connection. */
export function rawRequest(line: string, headers: readonly string[], body = ''): string {
  return `${[line, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`;
}
