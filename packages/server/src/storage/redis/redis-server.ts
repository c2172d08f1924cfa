/** The facts about a Redis or Valkey server that the guard depends on. */
export interface RedisServer {
  /** `redis_version`; on Valkey, the Redis version that it is compatible with. */
  readonly version: string;
  /** `standalone`, `sentinel` or `cluster`. */
  readonly mode: string;
  readonly role: string;
  /** Changes with each start of the process. */
  readonly runId: string;
  /** Changes with each start as primary, and with each promotion of a replica. */
  readonly replicationId: string;
  readonly evictionPolicy: string;
  readonly isAppendOnly: boolean;
}

/** Parses the reply to INFO. A missing field becomes an empty text, which fails every check. */
export function readRedisServer(info: string): RedisServer {
  const field = (name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
  return {
    version: field('redis_version'),
    // Valkey uses its own name.
    mode: field('redis_mode') || field('server_mode'),
    role: field('role'),
    runId: field('run_id'),
    replicationId: field('master_replid'),
    evictionPolicy: field('maxmemory_policy'),
    isAppendOnly: field('aof_enabled') === '1',
  };
}

/** The oldest version that the scripts are written for and tested with. */
const oldestVersion = [6, 2] as const;

/** Lists why the guard can't trust this server, one sentence each with what to do; empty if it can. */
export function mistakesOfRedisServer(server: RedisServer, allowWithoutAppendOnlyFile: boolean): string[] {
  const mistakes: string[] = [];
  if (!isRecent(server.version)) {
    mistakes.push(
      `its version is ${server.version || 'unknown'}: use Redis ${oldestVersion.join('.')} or newer, or Valkey`,
    );
  }
  if (server.mode !== 'standalone') {
    mistakes.push(
      `its mode is ${server.mode || 'unknown'}: use one primary, with replicas if you like, and no cluster mode`,
    );
  }
  if (server.role !== 'master') {
    mistakes.push(
      `its role is ${server.role || 'unknown'}: connect to the primary, or to an address that always leads to it`,
    );
  }
  if (server.runId === '' || server.replicationId === '') {
    mistakes.push(
      'it does not report run_id and master_replid: allow the user in the URL to call INFO in full',
    );
  }
  if (server.evictionPolicy !== 'noeviction') {
    const found = server.evictionPolicy || 'unknown';
    mistakes.push(
      `its maxmemory-policy is ${found}: set noeviction, because an evicted signature could be used again`,
    );
  }
  if (!server.isAppendOnly && !allowWithoutAppendOnlyFile) {
    mistakes.push(
      'it keeps no append-only file: set appendonly yes, or allow it with COUNTERSIGN_ALLOW_REDIS_WITHOUT_APPEND_ONLY_FILE',
    );
  }
  return mistakes;
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > oldestVersion[0] || (major === oldestVersion[0] && minor >= oldestVersion[1]);
}
