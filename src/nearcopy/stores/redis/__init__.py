"""The Redis store: one server, any number of workers on any number of machines.

The server keeps compact records. Each worker holds in its memory the headers of all articles, the
candidate index of the days it has looked up, and a cache of records; one call brings it up to date
with a log of what other workers changed. A transaction that writes holds a lock, and one Lua script
applies it atomically. Articles expire together when they have been stored for the window.

`connection` runs the scripts of `lua/`, `records` reads and writes single records, `transactions`
composes both into a session, and `store` composes the parts of the store on top of it.
"""
