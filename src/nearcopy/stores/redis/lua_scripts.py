"""The scripts that a Redis server runs for the store, and nothing else does.

All that is read or written in one call is of one moment. They build the names of keys from the
prefix, whose hash tag puts all of them into one slot. What they are given in numbers is packed,
each string behind its length in four bytes; what they answer is not, as Lua is slow at that.
"""

ROWS = 64  # articles in one hash; a row has up to four fields, this far apart
LOG_BYTES = 512 << 10  # of what the last steps changed: who is further behind reads all heads

READING = """
local function strings(blob)
    local at, size = 1, #blob
    return function()
        if at > size then return nil end
        local length = struct.unpack('>I4', blob, at)
        local value = string.sub(blob, at + 4, at + 3 + length)
        at = at + 4 + length
        return value
    end
end
"""

# Answers with the state of the store, what changed since the caller looked last, the rows that
# were added since, and the records that it wants. With a token the lock is taken, or kept.
LOOK = (
    READING
    + f"""
local ROWS = {ROWS}
"""
    + """
local prefix, known, known_token, number = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local token, lease, most, pieces, wanted = ARGV[5], ARGV[6], tonumber(ARGV[7]), ARGV[8], ARGV[9]
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
local version, last, made_by = tonumber(state[1] or 0), tonumber(state[2] or 0), state[4] or ''
local log, rows, found = {}, {}, {}
local follows, behind = 0, version - known
if behind == 0 then
    if made_by == known_token then follows = 1 end
elseif known > 0 and behind > 0 then
    local before = redis.call('LINDEX', prefix .. 'log', -(behind + 1))
    if before and string.sub(before, 5, 4 + #known_token) == known_token then
        follows = 1
        log = redis.call('LRANGE', prefix .. 'log', -behind, -1)
    end
end
if follows == 1 then
    for n = number + 1, math.min(last, number + most) do rows[#rows + 1] = row(n) end
end
local each = strings(wanted)
for name in each do
    local kind, rest = string.sub(name, 1, 1), string.sub(name, 2)
    if kind == 'r' then
        found[#found + 1] = row(tonumber(rest))
    elseif kind == 'h' then
        found[#found + 1] = redis.call('HGET', prefix .. rest, each())
    elseif kind == 'a' then
        found[#found + 1] = redis.call('HGETALL', prefix .. rest)
    else
        found[#found + 1] = redis.call('GET', prefix .. rest)
    end
end
return {'ok', version, made_by, last, state[3] or '', now[1], now[2], follows, log, rows, found}
"""
)

# Applies a step whole, unless somebody else's came between: then nothing of it. A step that comes
# again, as its answer was lost, is not applied again.
COMMIT = (
    READING
    + f"""
local LOG_BYTES = {LOG_BYTES}
"""
    + """
local prefix, token, expected, number = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local expiry, entry, last = tonumber(ARGV[5]), ARGV[6], ARGV[7]
local log, lock, staged = prefix .. 'log', prefix .. 'lock', prefix .. 'staged:' .. token
local version = tonumber(redis.call('HGET', KEYS[1], 'version') or 0)
if version ~= expected then
    local first = version > expected and redis.call('LINDEX', log, -(version - expected))
    if first and string.sub(first, 5, 4 + #token) == token then return 'done' end
    return 'moved'
end
local touched = {}
local function apply(blob)
    local each = strings(blob)
    for op in each do
        local key = prefix .. each()
        if op == 'h' then
            local field = each()
            redis.call('HSET', key, field, each())
        elseif op == 's' then
            redis.call('SET', key, each())
        elseif op == 'd' then
            redis.call('HDEL', key, each())
        elseif op == 'x' then
            redis.call('DEL', key)
        elseif op == 'i' then
            local field = each()
            redis.call('HINCRBY', key, field, each())
        else
            touched[key] = true
        end
    end
end
for at = 0, redis.call('HLEN', staged) - 1 do apply(redis.call('HGET', staged, at)) end
redis.call('DEL', staged)
apply(last)
for key in pairs(touched) do
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
"""
)

# Gives the lock back without a step.
LEAVE = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""
