import { ProcessSignals } from './lifecycle/process-signals.ts';

// Before anything else is loaded: until there is a handler, a signal ends the process, or is lost.
const signals = new ProcessSignals();
const { main } = await import('./assembly/program.ts');
process.exitCode = await main(process.argv.slice(2), signals);
