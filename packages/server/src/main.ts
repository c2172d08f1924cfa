import { join } from 'node:path';
import {
  type Configuration,
  ConfigurationError,
  describeSettings,
  loadConfiguration,
} from './configuration/load.ts';
import { demonstrateOnFirstStart } from './demonstration/first-start.ts';
import { createLogger } from './telemetry/logger.ts';
import { type Service, startService } from './service.ts';

/** npm starts the service in the repository; the published package has its own command. */
const [start, startWith] = import.meta.url.endsWith('.ts')
  ? ['npm start', 'npm start --']
  : ['countersign-server', 'countersign-server'];

const help = `countersign-server: lets in only requests with a valid RFC 9421 signature of a registered client.

Usage
  ${start.padEnd(36)}  listen on 127.0.0.1:8421, data in ./data
  ${`${startWith} --help`.padEnd(36)}  this text
  ${`COUNTERSIGN_PORT=9000 ${start}`.padEnd(36)}  any setting is an environment variable

Settings [default]
${describeSettings()}

Options
  --demo            show a demonstration on the first start, as COUNTERSIGN_DEMONSTRATION=yes; npm start has it
  --help, -h        this text

Signals
  SIGINT, SIGTERM   stop cleanly: finish running requests, keep what the replay guard remembers

Exit codes
  0  stopped cleanly
  1  could not start, or failed while stopping
  2  the configuration or the command line has mistakes
`;

/** Advice for a port that cannot be opened, by system call and error code. */
const adviceOnListening = new Map([
  ['listen EADDRINUSE', 'Another program has the port; choose one with COUNTERSIGN_PORT.'],
  ['listen EACCES', 'Ports below 1024 need a permission; choose another one with COUNTERSIGN_PORT.'],
  ['listen EADDRNOTAVAIL', 'This machine does not have that address; choose one with COUNTERSIGN_HOST.'],
  [
    'getaddrinfo ENOTFOUND',
    'There is no such host; choose an address of this machine with COUNTERSIGN_HOST.',
  ],
]);

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(help);
    return 0;
  }
  const unknown = args.find((argument) => argument !== '--demo');
  if (unknown !== undefined) {
    console.error(
      `There is no option ${unknown}. Settings are environment variables; see: ${startWith} --help`,
    );
    return 2;
  }
  try {
    return await serve(args.includes('--demo') ? loadDemoConfiguration() : loadConfiguration(process.env));
  } catch (error) {
    if (error instanceof ConfigurationError) {
      console.error(`${error.message}\nEvery setting is listed by: ${startWith} --help`);
      return 2;
    }
    console.error(explain(error as NodeJS.ErrnoException));
    return 1;
  }
}

/** Loads the configuration with the two defaults that `--demo` changes. Environment and file still take precedence. */
function loadDemoConfiguration(): Configuration {
  const { dataFolder } = loadConfiguration(process.env);
  return loadConfiguration(process.env, { demonstration: 'yes', logFile: join(dataFolder, 'log.jsonl') });
}

async function serve(configuration: Configuration): Promise<number> {
  const logger = createLogger(configuration.logLevel, configuration.logFile);
  if (configuration.allowPublishedTestKeys) {
    console.error(
      'WARNING: published test keys may be registered. Anyone can sign with them. Never do this in production.',
    );
  }
  const service = await startService(configuration, logger);
  const stopped = stopOnSignal(service);
  try {
    await Promise.race([demonstrateOnFirstStart(service, configuration.logFile, process.stdout), stopped]);
    await stopped;
  } finally {
    await service.stop();
    await new Promise<unknown>((resolve) => logger.flush(resolve));
  }
  return 0;
}

/** Resolves once a signal has arrived and the service has stopped. A second signal ends the process at once. */
function stopOnSignal(service: Service): Promise<void> {
  return new Promise((resolve, reject) => {
    let asked = false;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (asked) process.exit(1);
      asked = true;
      process.stdout.write(`\n${signal}: stopping (again to stop at once) …`);
      service.stop().then(() => {
        process.stdout.write(' stopped.\n');
        process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
        resolve();
      }, reject);
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  });
}

function explain(error: NodeJS.ErrnoException): string {
  const advice = adviceOnListening.get(`${error.syscall} ${error.code}`);
  return advice === undefined
    ? `Cannot start: ${error.message}`
    : `Cannot listen: ${error.message}. ${advice}`;
}
