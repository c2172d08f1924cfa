/**
 * The signing proxy of the command line, in a process of its own: `node bench/proxy-server.ts TARGET KEY_FILE`.
 */
import { main } from '../packages/cli/src/main.ts';
import { processIo } from '../packages/cli/src/terminal/io.ts';
import { serveUntilStopped } from './child.ts';

const [target = '', keyFile = ''] = process.argv.slice(2);
const listening = Promise.withResolvers<number>();
const stopped = Promise.withResolvers<void>();
const ended = main(['proxy', '--target', target, '--client-id', 'bench', '--key', keyFile, '--listen', '0'], {
  ...processIo(),
  // The log is written, but not read.
  output: { write: () => undefined },
  errors: {
    write(text: string | Uint8Array) {
      const port = /127\.0\.0\.1:(\d+); they go/.exec(String(text))?.[1];
      if (port !== undefined) listening.resolve(Number(port));
    },
  },
  untilStopped: () => stopped.promise,
});
await serveUntilStopped(await listening.promise);
stopped.resolve();
await ended;
process.exit(0);
