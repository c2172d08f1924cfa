import { CommandError } from '../exits.ts';

/**
 * Converts the failed import of a part of the service. The service is not part of this package: it exists in
 * the repository, and wherever it was installed separately.
 */
export function serverNotInstalled(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  // The second name is the published package's.
  if (code !== 'ERR_MODULE_NOT_FOUND' || !/'(@countersign\/server|countersign-server)'/.test(message))
    return error;
  return new CommandError(
    'local',
    'server_not_installed',
    'The commands clients, keys, routes and backup work with a service on this machine, but the service is not installed ' +
      'next to this command. Install the package countersign-server there, or run them in the Countersign repository: ' +
      'npx countersign clients list',
  );
}
