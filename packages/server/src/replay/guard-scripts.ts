import { type RedisScript, redisScript } from './redis-scripts.ts';

/** Where the guard keeps its state. Every other key of it begins with this and a colon. */
export const guardKey = 'countersign:guard';

/*
 * What is kept, per guard:
 *
 * - guardKey: a hash of the epoch, the horizon (the last second of `created` that is refused because a use in it may have
 *   been forgotten) and the number of entries;
 * - guardKey:seconds: a sorted set of the seconds of `created` that have entries, by the time at which they are forgotten;
 * - guardKey:used:<created>: a hash of the ids that were used, with the time of their first use;
 * - guardKey:clients and guardKey:clients:<created>: how many of the entries each client has.
 *
 * Nothing expires by itself. A second is forgotten as a whole, and the horizon then rises to it, so that neither a clock
 * that jumps nor a node whose clock is slow can make a forgotten signature pass. All times are the server's own.
 */

/** What `useScript` answers: a number, and with some of them a second one. */
export const useAnswers = {
  /** It was not used before, and is remembered now. */
  fresh: 0,
  /** It was used before; then the milliseconds since. */
  used: 1,
  /** It may have been used before; then the horizon. */
  forgotten: 2,
  full: 3,
  clientFull: 4,
  /** The epoch is another one, or the server is not the one that the epoch was begun on. */
  otherEpoch: 5,
} as const;

/**
 * Uses a signature.
 *
 * INFO is asked each time, because the server behind a connection can change: a proxy may switch to a promoted replica,
 * or a primary be made a replica and primary again, with the same epoch in its data and the last uses missing.
 *
 * When a second has lost its entries (evicted, deleted by hand) while `seconds` still has it, the state is not to be
 * trusted any more: the epoch is removed, so that a new one must begin.
 */
export const useScript: RedisScript = redisScript(`
local key = KEYS[1]
local epoch, replicationId, created, id, keyid = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local entriesMax, clientEntriesMax, lifeMs = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])

local info = redis.call('INFO', 'replication')
local state = redis.call('HMGET', key, 'epoch', 'horizon', 'entries')
if state[1] ~= epoch
  or not string.find(info, 'role:master', 1, true)
  or not string.find(info, 'master_replid:' .. replicationId, 1, true)
then return {${useAnswers.otherEpoch}} end

local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local used = key .. ':used:' .. created
local firstMs = redis.call('HGET', used, id)
if firstMs then return {${useAnswers.used}, nowMs - firstMs} end

local horizon = tonumber(state[2])
if tonumber(created) <= horizon then return {${useAnswers.forgotten}, horizon} end
if tonumber(state[3]) >= entriesMax then return {${useAnswers.full}} end
if tonumber(redis.call('HGET', key .. ':clients', keyid) or 0) >= clientEntriesMax then return {${useAnswers.clientFull}} end

redis.call('HSET', used, id, string.format('%.0f', nowMs))
if redis.call('HLEN', used) == 1
  and redis.call('ZADD', key .. ':seconds', 'NX', string.format('%.0f', nowMs + lifeMs), created) == 0
then
  redis.call('HDEL', key, 'epoch')
  return {${useAnswers.otherEpoch}}
end
redis.call('HINCRBY', key, 'entries', 1)
redis.call('HINCRBY', key .. ':clients', keyid, 1)
redis.call('HINCRBY', key .. ':clients:' .. created, keyid, 1)
return {${useAnswers.fresh}}
`);

/**
 * Forgets seconds whose time is over, some at once so that nobody waits long. Answers the epoch, an empty text when there
 * is none, and the number of entries.
 *
 * The order matters twice. A server that is out of memory lets a script write only if its first write needs none, and
 * ZREM is such. Should the script break off, then before the entries are gone, and with the horizon raised.
 */
export const tidyScript: RedisScript = redisScript(`
local key, epoch = KEYS[1], ARGV[1]
local state = redis.call('HMGET', key, 'epoch', 'horizon', 'entries')
if state[1] ~= epoch then return {state[1] or '', 0} end
local time = redis.call('TIME')
local nowMs = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local horizon, entries = tonumber(state[2]), tonumber(state[3])
for _, created in ipairs(redis.call('ZRANGEBYSCORE', key .. ':seconds', 0, nowMs, 'LIMIT', 0, 16)) do
  redis.call('ZREM', key .. ':seconds', created)
  horizon = math.max(horizon, tonumber(created))
  redis.call('HSET', key, 'horizon', string.format('%.0f', horizon))
  entries = math.max(0, entries - redis.call('HLEN', key .. ':used:' .. created))
  local clients = redis.call('HGETALL', key .. ':clients:' .. created)
  for index = 1, #clients, 2 do
    if redis.call('HINCRBY', key .. ':clients', clients[index], -clients[index + 1]) <= 0 then
      redis.call('HDEL', key .. ':clients', clients[index])
    end
  end
  redis.call('UNLINK', key .. ':used:' .. created, key .. ':clients:' .. created)
  redis.call('HSET', key, 'entries', entries)
end
return {epoch, entries}
`);

/**
 * Begins an epoch, if the epoch is still the one that the caller saw: forgets everything and sets the horizon. Answers
 * the epoch that there is now.
 *
 * The horizon is at least the newest second that the store knows, should the mark of the database be older, because the
 * database was restored from a backup.
 */
export const beginScript: RedisScript = redisScript(`
local key, seen, epoch, horizon = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
local state = redis.call('HMGET', key, 'epoch', 'horizon')
if (state[1] or '') ~= seen then return state[1] or '' end
horizon = math.max(horizon, tonumber(state[2] or 0))
for _, created in ipairs(redis.call('ZRANGE', key .. ':seconds', 0, -1)) do
  horizon = math.max(horizon, tonumber(created))
  redis.call('UNLINK', key .. ':used:' .. created, key .. ':clients:' .. created)
end
redis.call('UNLINK', key .. ':seconds', key .. ':clients')
redis.call('HSET', key, 'epoch', epoch, 'horizon', string.format('%.0f', horizon), 'entries', 0)
return epoch
`);
