-- Applies a transaction atomically, unless another one was committed since the expected version:
-- then nothing of it. A retry after a lost answer is recognised by its token and not applied twice.
local prefix, token, expected, number = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local expiry, entry, last = tonumber(ARGV[5]), ARGV[6], ARGV[7]
local log, lock, staged = prefix .. 'log', prefix .. 'lock', prefix .. 'staged:' .. token
local version = tonumber(redis.call('HGET', KEYS[1], 'version') or 0)
if version ~= expected then
    local first = version > expected and redis.call('LINDEX', log, -(version - expected))
    if first and string.sub(first, 5, 4 + #token) == token then return 'done' end
    return 'moved'
end
local expiring = {}
local function apply(operations)
    local next_part = strings(operations)
    for operation in next_part do
        local key = prefix .. next_part()
        if operation == 'h' then
            local field = next_part()
            redis.call('HSET', key, field, next_part())
        elseif operation == 's' then
            redis.call('SET', key, next_part())
        elseif operation == 'd' then
            redis.call('HDEL', key, next_part())
        elseif operation == 'x' then
            redis.call('DEL', key)
        elseif operation == 'i' then
            local field = next_part()
            redis.call('HINCRBY', key, field, next_part())
        else
            expiring[key] = true
        end
    end
end
for at = 0, redis.call('HLEN', staged) - 1 do apply(redis.call('HGET', staged, at)) end
redis.call('DEL', staged)
apply(last)
for key in pairs(expiring) do
    if expiry > 0 then redis.call('PEXPIRE', key, expiry) end
end
redis.call('HSET', KEYS[1], 'version', expected + 1, 'number', number, 'token', token)
redis.call('RPUSH', log, entry)
local size = redis.call('HINCRBY', KEYS[1], 'logged', #entry)
while size > LOG_BYTES and redis.call('LLEN', log) > 2 do
    size = redis.call('HINCRBY', KEYS[1], 'logged', -#redis.call('LPOP', log))
end
if redis.call('GET', lock) == token then redis.call('DEL', lock) end
return 'ok'
