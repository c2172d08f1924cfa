import { type RedisScript, redisScript } from '../storage/redis/redis-scripts.ts';

/** The key of the guard's state. All its other keys begin with this and a colon. */
export const guardKey = 'countersign:guard';

/*
 * The keys of a guard:
 *
 * - guardKey: a hash of the epoch, the seconds that are rejected because a use in them may have been lost
 *   before it (as JSON; the nodes check them, not the scripts), the horizon (the last second of `created` that
 *   is rejected because a use in it may have been forgotten) and the number of entries;
 * - guardKey:seconds: a sorted set of the seconds of `created` that have entries, by the time at which they are
 *   forgotten;
 * - guardKey:used:<created>: a hash of the used ids, with the time of their first use;
 * - guardKey:clients and guardKey:clients:<created>: the number of entries per client and, under its name after
 *   a space, per account. No clientId contains a space.
 *
 * No key has an expiry. A second is forgotten as a whole, and the horizon is raised to it, so that neither a
 * clock that jumps nor a node with a slow clock can make a forgotten signature pass. All times are the server's
 * own.
 */

/** The results of `useScript`: one of these numbers, some followed by a second number. */
export const useResults = {
  /** Not used before, and now remembered. */
  fresh: 0,
  /** Used before; followed by the milliseconds since. */
  used: 1,
  /** Possibly used before; followed by the horizon. */
  forgotten: 2,
  full: 3,
  clientFull: 4,
  /** The epoch has changed, or the server isn't the one that the epoch was begun on. */
  otherEpoch: 5,
  accountFull: 6,
} as const;

/**
 * Uses a signature.
 *
 * Checks INFO every time, because the server behind a connection can change: a proxy may switch to a promoted
 * replica, or a primary may become a replica and then primary again, with the same epoch in its data and the
 * last uses missing.
 *
 * If a second has lost its entries (evicted, or deleted manually) while `seconds` still contains it, the state
 * can't be trusted any more: the script removes the epoch, so that a new one must begin.
 */
export const useScript: RedisScript = redisScript(`
local key = KEYS[1]
local epoch, replicationId, created, id, keyid = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local entriesMax, clientEntriesMax, lifeMs = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local account, accountEntriesMax = ' ' .. ARGV[9], tonumber(ARGV[10])

local info = redis.call('INFO', 'replication')
local state = redis.call('HMGET', key, 'epoch', 'horizon', 'entries')
if state[1] ~= epoch
  or not string.find(info, 'role:master', 1, true)
  or not string.find(info, 'master_replid:' .. replicationId, 1, true)
then return {${useResults.otherEpoch}} end

local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local used = key .. ':used:' .. created
local firstMs = redis.call('HGET', used, id)
if firstMs then return {${useResults.used}, nowMs - firstMs} end

local horizon = tonumber(state[2])
if tonumber(created) <= horizon then return {${useResults.forgotten}, horizon} end
if tonumber(state[3]) >= entriesMax then return {${useResults.full}} end
local filled = redis.call('HMGET', key .. ':clients', keyid, account)
if tonumber(filled[1] or 0) >= clientEntriesMax then return {${useResults.clientFull}} end
if account ~= ' ' and tonumber(filled[2] or 0) >= accountEntriesMax then return {${useResults.accountFull}} end

redis.call('HSET', used, id, string.format('%.0f', nowMs))
if redis.call('HLEN', used) == 1
  and redis.call('ZADD', key .. ':seconds', 'NX', string.format('%.0f', math.max(nowMs, created * 1000) + lifeMs), created) == 0
then
  redis.call('HDEL', key, 'epoch')
  return {${useResults.otherEpoch}}
end
redis.call('HINCRBY', key, 'entries', 1)
for _, name in ipairs(account == ' ' and {keyid} or {keyid, account}) do
  redis.call('HINCRBY', key .. ':clients', name, 1)
  redis.call('HINCRBY', key .. ':clients:' .. created, name, 1)
end
return {${useResults.fresh}}
`);

/**
 * Forgets expired seconds, a few at a time, so that no other command waits long. Returns the epoch, or an empty
 * text if there is none, and the number of entries.
 *
 * The order matters for two reasons. An out-of-memory server lets a script write only if its first write needs
 * no memory, which is true of ZREM. And if the script is interrupted, the horizon must be raised before the
 * entries are gone.
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
 * Begins an epoch, if the current one is still the one that the caller saw: forgets everything, and stores the
 * seconds that are rejected. Returns the epoch that is then current, and those seconds.
 *
 * They include the seconds that the store knows, in case the database's mark is older because the database was
 * restored from a backup.
 */
export const beginScript: RedisScript = redisScript(`
local key, seen, epoch, refused = KEYS[1], ARGV[1], ARGV[2], cjson.decode(ARGV[3])
local state = redis.call('HMGET', key, 'epoch', 'horizon', 'refused')
if (state[1] or '') ~= seen then return {state[1] or '', state[3] or '[]'} end
if state[3] then
  for _, range in ipairs(cjson.decode(state[3])) do refused[#refused + 1] = range end
end
for _, created in ipairs(redis.call('ZRANGE', key .. ':seconds', 0, -1)) do
  refused[#refused + 1] = {tonumber(created), tonumber(created)}
  redis.call('UNLINK', key .. ':used:' .. created, key .. ':clients:' .. created)
end
redis.call('UNLINK', key .. ':seconds', key .. ':clients')
local text = #refused == 0 and '[]' or cjson.encode(refused)
redis.call('HSET', key, 'epoch', epoch, 'refused', text, 'horizon', state[2] or '0', 'entries', 0)
return {epoch, text}
`);
