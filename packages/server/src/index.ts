/** The service as a module, for tests, benchmarks and programs that embed it. */
export { loadConfiguration } from './configuration/load-at-once.ts';
export { ConfigurationError, type Configuration } from './configuration/load.ts';
export { type Setting, type SettingName, type Settings, settings } from './configuration/settings.ts';
export { createLogger, type LogLevel } from './telemetry/logger.ts';
export { type Service, type ServiceOverrides, startService } from './assembly/service.ts';
