import type { RedisConnection } from '../storage/redis/redis-connection.ts';
import { redisScript, runScript } from '../storage/redis/redis-scripts.ts';
import type { BucketPolicy, SharedBuckets } from '@countersign/gate';

/** The prefix of every rate-limit key. */
const keyPrefix = 'countersign:rate:';

/** Takes one token and returns how many remain, as text. Uses the server's clock; a full bucket has no key. */
const takeScript = redisScript(`
local key, tokensMax, tokensPerMs = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local state = redis.call('HMGET', key, 'tokens', 'atMs')
local tokens = tokensMax
if state[1] then
  tokens = math.min(tokensMax, tonumber(state[1]) + math.max(0, nowMs - tonumber(state[2])) * tokensPerMs)
end
tokens = string.format('%.6f', tokens - 1)
redis.call('HSET', key, 'tokens', tokens, 'atMs', string.format('%.0f', nowMs))
redis.call('PEXPIRE', key, string.format('%.0f', math.ceil((tokensMax - tonumber(tokens)) / tokensPerMs)))
return tokens
`);

/** Rate-limit buckets shared by all nodes, in Redis or Valkey. */
export class RedisBuckets implements SharedBuckets {
  readonly #connection: RedisConnection;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  async take(name: string, { tokensMax, tokensPerSecond }: BucketPolicy): Promise<number | undefined> {
    const values = [String(tokensMax), String(tokensPerSecond / 1000)];
    try {
      return Number(await runScript(this.#connection.send, takeScript, keyPrefix + name, ...values));
    } catch {
      // The replay guard uses the same connection and rejects requests during an outage, so nothing passes
      // uncounted.
      return undefined;
    }
  }
}
