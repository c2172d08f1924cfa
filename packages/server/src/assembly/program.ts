import { entriesOf } from '../configuration/accepted-profiles.ts';
import { constants } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Logger } from 'pino';
import {
  type Configuration,
  ConfigurationError,
  describeSettings,
  readingOnce,
} from '../configuration/load.ts';
import { loadConfigurationAtStart } from '../configuration/load-at-start.ts';
import { loadConfigurationBeside } from '../configuration/load-beside.ts';
import { settingsInForce } from '../configuration/settings-in-force.ts';
import { settings } from '../configuration/settings.ts';
import { start, startWith } from '../demonstration/start-command.ts';
import { makeDataFolder, usesDataFolder } from './open-stores.ts';
import { Life } from './life.ts';
import type { ProcessSignals } from '../lifecycle/process-signals.ts';
import { freeYoungBuffers } from '../lifecycle/young-buffers.ts';
import { createLogger } from '../telemetry/logger.ts';
import { followConfiguration, logWarnings } from './follow-configuration.ts';
import { type Service, startService } from './service.ts';
import { version } from '../lifecycle/version.ts';

const help = `countersign-server: lets in only requests with a valid RFC 9421 signature of a registered client.

Usage
  ${start.padEnd(36)}  listen on 127.0.0.1:8421, data in ./data
  ${`${startWith} --help`.padEnd(36)}  this text
  ${startWith} --upstream http://127.0.0.1:3000
  ${''.padEnd(36)}  protect the API there, called as http://127.0.0.1:8422
  ${`COUNTERSIGN_PORT=9000 ${start}`.padEnd(36)}  any setting is an environment variable

Settings [default]
${describeSettings()}

Options
  --upstream URL    the API to protect, as COUNTERSIGN_UPSTREAM: scheme, host and port
  --openapi FILE    its OpenAPI document, as COUNTERSIGN_OPENAPI: only what it describes is forwarded
  --check           try everything that the configuration names, start nothing, and list all mistakes
  --version         the version of the service
  --demo            show a demonstration on the first start, as COUNTERSIGN_DEMONSTRATION=yes; npm start has it
  --help, -h        this text

Signals
  SIGHUP            read the configuration again, and use its routes and upstreams from the next request on
  SIGTERM           hand over to other nodes (COUNTERSIGN_STOP_DELAY_SECONDS), then stop cleanly: finish running
                    requests, keep what the replay guard remembers; a second signal ends the wait
  SIGINT            stop cleanly at once

Exit codes
  0  stopped cleanly; with --check, no mistakes
  1  could not start, or failed while stopping; with --check, something that the configuration names cannot be used
  2  the configuration or the command line has mistakes
`;

/** Advice for a port that cannot be opened, by system call and error code. */
const adviceOnListening = new Map([
  ['listen EADDRINUSE', 'Another program uses the port; choose another one with COUNTERSIGN_PORT.'],
  ['listen EACCES', 'Ports below 1024 are privileged; choose another one with COUNTERSIGN_PORT.'],
  ['listen EADDRNOTAVAIL', 'This machine does not have that address; choose one with COUNTERSIGN_HOST.'],
  [
    'getaddrinfo ENOTFOUND',
    'There is no such host; choose an address of this machine with COUNTERSIGN_HOST.',
  ],
]);

/** How long an interrupted start may take to close whatever it has opened. */
const leftoverMs = 1000;

// The service keeps running when its output is closed. Without a listener, a failed write would end it.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

/** Runs the program until it ends, and returns its exit code. */
export async function main(args: readonly string[], signals: ProcessSignals): Promise<number> {
  const given = readArguments(args);
  if (typeof given === 'string') {
    console.error(`${given} Settings are environment variables; see: ${startWith} --help`);
    return 2;
  }
  if (given.help) {
    process.stdout.write(help);
    return 0;
  }
  if (given.version) {
    process.stdout.write(`${version()}\n`);
    return 0;
  }
  try {
    if (given.check) return await check(await loadWith(given), signals);
    return await serve(given, signals);
  } catch (error) {
    if (error instanceof ConfigurationError) {
      console.error(`${error.message}\nEvery setting is listed by: ${startWith} --help`);
      return 2;
    }
    console.error(explain(error as NodeJS.ErrnoException));
    return 1;
  }
}

/** Tests everything that a configuration names, without starting. */
async function check(configuration: Configuration, signals: ProcessSignals): Promise<number> {
  signals.handOverStops((signal) => process.exit(128 + constants.signals[signal]));
  const { checkStart } = await import('./start-check.ts');
  const mistakes = await checkStart(configuration);
  if (mistakes.length === 0) {
    process.stdout.write('The configuration has no mistakes, and everything that it names can be used.\n');
    return 0;
  }
  const count = mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`;
  console.error([`The check found ${count}:`, ...mistakes].join('\n  - '));
  return 1;
}

interface Arguments {
  readonly help: boolean;
  readonly version: boolean;
  readonly check: boolean;
  readonly demo: boolean;
  readonly upstream: string | undefined;
  readonly openapi: string | undefined;
}

/** Reads the command line; returns a text if it is wrong. */
function readArguments(args: readonly string[]): Arguments | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        version: { type: 'boolean', default: false },
        check: { type: 'boolean', default: false },
        demo: { type: 'boolean', default: false },
        upstream: { type: 'string' },
        openapi: { type: 'string' },
      },
    });
    return { upstream: undefined, openapi: undefined, ...values };
  } catch (error) {
    const place = args.findIndex(
      (argument) => !/^--(?:help|version|check|demo|upstream|openapi)$|^-h$/.test(argument),
    );
    const unknown = args[place];
    return (error as NodeJS.ErrnoException).code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE'
      ? `${(error as Error).message.split('\n')[0]}.`
      : `There is no option ${unknown}${settingInstead(unknown, args[place + 1])}.`;
  }
}

/** Names the setting that an option such as --port or --data-folder resembles. */
function settingInstead(option: string | undefined, next = '…'): string {
  const [, name, value = next] = /^--([a-z-]+)(?:=(.*))?$/.exec(option ?? '') ?? [];
  const words = name?.replaceAll('-', '');
  const found = Object.entries(settings).find(([setting]) => setting.toLowerCase() === words);
  return found === undefined ? '' : `: set ${found[1].environment}=${value}`;
}

/**
 * Loads the configuration. Options take precedence over the environment, which takes precedence over the file;
 * `--demo` changes two defaults.
 */
async function loadWith(given: Arguments): Promise<Configuration> {
  const environment = environmentOf(given);
  // The file may be a pipe.
  const readText = readingOnce();
  const configuration = await loadConfigurationAtStart(environment, {}, readText);
  return given.demo
    ? loadConfigurationAtStart(environment, demonstrationDefaults(configuration), readText)
    : configuration;
}

/** Loads the configuration while requests are being served. */
async function loadBeside(given: Arguments, signal: AbortSignal): Promise<Configuration> {
  const environment = environmentOf(given);
  const configuration = await loadConfigurationBeside(environment, {}, signal);
  return given.demo
    ? loadConfigurationBeside(environment, demonstrationDefaults(configuration), signal)
    : configuration;
}

function environmentOf({ upstream, openapi }: Arguments): NodeJS.ProcessEnv {
  return {
    ...process.env,
    ...(upstream !== undefined && { COUNTERSIGN_UPSTREAM: upstream }),
    ...(openapi !== undefined && { COUNTERSIGN_OPENAPI: openapi }),
  };
}

function demonstrationDefaults({ dataFolder }: Configuration): { demonstration: string; logFile: string } {
  return { demonstration: 'yes', logFile: join(dataFolder, 'log.jsonl') };
}

async function serve(given: Arguments, signals: ProcessSignals): Promise<number> {
  freeYoungBuffers();
  const life = new Life(signals);
  const configuration = await loadWith(given);
  // The log may be in it.
  if (usesDataFolder(configuration)) makeDataFolder(configuration.dataFolder);
  const logger = createLogger(configuration.logLevel, configuration.logFile);
  if (configuration.allowPublishedTestKeys) {
    console.error(
      'WARNING: published test keys may be registered. Anyone can sign with them. Never do this in production.',
    );
  }
  if (configuration.allowOperatorsWithoutSecondFactor) {
    console.error(
      "WARNING: operators need no second factor. Anyone who learns an operator's password can manage all accounts.",
    );
  }
  const inForce = settingsInForce(configuration);
  logger.info({ version: version(), node: process.version, settings: inForce }, 'the service is starting');
  for (const { name, binds, leavesOpen } of entriesOf(configuration.profiles))
    logger.info({ profile: name, binds, leavesOpen }, 'clients can have this profile');
  logWarnings(logger, configuration);
  try {
    const loadAgain = (signal: AbortSignal): Promise<Configuration> => loadBeside(given, signal);
    await serveUntilStopped({ configuration, loadAgain, logger, life, signals });
  } finally {
    await new Promise<unknown>((resolve) => logger.flush(resolve));
  }
  return 0;
}

async function serveUntilStopped({
  configuration,
  loadAgain,
  logger,
  life,
  signals,
}: {
  readonly configuration: Configuration;
  readonly loadAgain: (signal: AbortSignal) => Promise<Configuration>;
  readonly logger: Logger;
  readonly life: Life;
  readonly signals: ProcessSignals;
}): Promise<void> {
  const service = await startUnlessInterrupted(configuration, logger, life);
  if (service === undefined) return;
  const stopped = life.untilStopped(service);
  const following = followConfiguration({ configuration, loadAgain, service, logger });
  signals.handOverReloads(following.readAgain);
  life.stopping.addEventListener('abort', () => void following.stop());
  try {
    await Promise.race([showNextSteps(service, configuration, life), stopped]);
    await stopped;
  } finally {
    await following.stop();
    await service.stop();
  }
}

/** Shows the demonstration, or what to do next. If that fails, the service still runs. */
async function showNextSteps(service: Service, { logFile }: Configuration, life: Life): Promise<void> {
  if (life.isEnding) return;
  try {
    // Once the service ends, the text is no longer true.
    const write = (text: string): unknown => life.isEnding || process.stdout.write(text);
    // Not loaded before requests are answered.
    const { demonstrateOnFirstStart } = await import('../demonstration/first-start.ts');
    await demonstrateOnFirstStart(service, logFile, { write });
  } catch (error) {
    if (!life.isEnding)
      console.error(`The service runs, but cannot show what to do next: ${(error as Error).message}`);
  }
}

/** Starts the service; returns undefined if a signal interrupted the start and everything is closed. */
async function startUnlessInterrupted(
  configuration: Configuration,
  logger: Logger,
  life: Life,
): Promise<Service | undefined> {
  try {
    return await startService(configuration, logger, {}, life.interruption);
  } catch (error) {
    if (error !== life.interruption.reason) throw error;
    life.endStart();
    // An attempt to reach a store may still be in progress.
    setTimeout(() => process.exit(), leftoverMs).unref();
    return undefined;
  }
}

function explain(error: NodeJS.ErrnoException): string {
  const advice = adviceOnListening.get(`${error.syscall} ${error.code}`);
  return advice === undefined
    ? `Cannot start: ${error.message}`
    : `Cannot listen: ${error.message}. ${advice}`;
}
