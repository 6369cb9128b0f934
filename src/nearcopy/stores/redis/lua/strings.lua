-- Iterator over packed strings, each after its length in four bytes. Prepended to every script.
local function strings(packed)
    local at, size = 1, #packed
    return function()
        if at > size then return nil end
        local length = struct.unpack('>I4', packed, at)
        local value = string.sub(packed, at + 4, at + 3 + length)
        at = at + 4 + length
        return value
    end
end
