-- Forwards outcomes and acknowledges their entries, where these are still pending; returns how many were.
-- KEYS: the stream, and the streams to forward to. ARGV: the group, the length of the streams or "", and for each
-- entry its id, the key of its stream (0: none), the number of fields, and the fields.
local at, handed = 3, 0
while at <= #ARGV do
    local entry, to, count = ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
    at = at + 3
    if #redis.call('XPENDING', KEYS[1], ARGV[1], entry, entry, 1) > 0 then
        if to > 0 then
            local words = {KEYS[to + 1]}
            if ARGV[2] ~= '' then
                words = {KEYS[to + 1], 'MAXLEN', '~', ARGV[2]}
            end
            words[#words + 1] = '*'
            for place = at, at + count - 1 do words[#words + 1] = ARGV[place] end
            redis.call('XADD', unpack(words))
        end
        redis.call('XACK', KEYS[1], ARGV[1], entry)
        handed = handed + 1
    end
    at = at + count
end
return handed
