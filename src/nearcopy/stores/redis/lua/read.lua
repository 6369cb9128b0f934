-- Returns the state of the store, the log since the caller's position, the rows added since, and
-- the requested records, all of one moment. With a token it also takes or renews the lock.
local prefix, known, known_token, number = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local token, lease, limit, pieces, request = ARGV[5], ARGV[6], tonumber(ARGV[7]), ARGV[8], ARGV[9]
if token ~= '' then
    local lock = prefix .. 'lock'
    if not redis.call('SET', lock, token, 'NX', 'PX', lease) then
        if redis.call('GET', lock) ~= token then
            return {'busy', redis.call('PTTL', lock)}
        end
        redis.call('PEXPIRE', lock, lease)
    end
end
local function row(n)
    local place = n % ROWS
    local key = prefix .. 'r:' .. ((n - place) / ROWS)
    if pieces == '1' then return redis.call('HGET', key, place) end
    return redis.call('HMGET', key, place, place + ROWS, place + 2 * ROWS, place + 3 * ROWS)
end
local now = redis.call('TIME')
local state = redis.call('HMGET', KEYS[1], 'version', 'number', 'born', 'token')
local version, last, last_token = tonumber(state[1] or 0), tonumber(state[2] or 0), state[4] or ''
local log, rows, records = {}, {}, {}
local continues, behind = 0, version - known
if behind == 0 then
    if last_token == known_token then continues = 1 end
elseif known > 0 and behind > 0 then
    local before = redis.call('LINDEX', prefix .. 'log', -(behind + 1))
    if before and string.sub(before, 5, 4 + #known_token) == known_token then
        continues = 1
        log = redis.call('LRANGE', prefix .. 'log', -behind, -1)
    end
end
if continues == 1 then
    for n = number + 1, math.min(last, number + limit) do rows[#rows + 1] = row(n) end
end
local next_name = strings(request)
for name in next_name do
    local kind, key = string.sub(name, 1, 1), string.sub(name, 2)
    if kind == 'r' then
        records[#records + 1] = row(tonumber(key))
    elseif kind == 'h' then
        records[#records + 1] = redis.call('HGET', prefix .. key, next_name())
    elseif kind == 'a' then
        records[#records + 1] = redis.call('HGETALL', prefix .. key)
    else
        records[#records + 1] = redis.call('GET', prefix .. key)
    end
end
return {
    'ok', version, last_token, last, state[3] or '', now[1], now[2], continues, log, rows, records
}
