import { ProcessSignals } from './lifecycle/process-signals.ts';
import { version } from './lifecycle/version.ts';

// Before anything else is loaded: until there is a handler, a signal ends the process, or is lost.
const signals = new ProcessSignals();
const args = process.argv.slice(2);
if (args.length === 1 && args[0] === '--version') {
  // Without the rest of the program, which takes a thousand times as long.
  process.stdout.on('error', () => undefined);
  process.stdout.write(`${version()}\n`);
} else {
  const { main } = await import('./assembly/program.ts');
  process.exitCode = await main(args, signals);
}
