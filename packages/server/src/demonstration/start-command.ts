/**
 * The commands that start the service, without and with options: npm in the repository, otherwise the package's
 * own.
 */
export const [start, startWith]: readonly [string, string] = import.meta.url.endsWith('.ts')
  ? ['npm start', 'npm start --']
  : ['countersign-server', 'countersign-server'];
