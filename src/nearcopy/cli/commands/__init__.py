"""The commands, one module each. To add one, add its module and a row to `COMMANDS`."""

FIND = "Find duplicates"
QUERY = "Query a store"
STREAM = "Consume a stream"
MEASURE = "Measure"
MAINTAIN = "Maintain a store"
SETTINGS = "Settings"
SERVE = "Serve"
# Panel, function in the module of `commands` with its name, and the first line of its help, so that
# listing the commands imports none. A final "_" keeps a name apart from one of Python.
COMMANDS = (
    (FIND, "dedupe", "Find duplicates in files; write rows with verdicts."),
    (FIND, "corpus", "Mark or remove the duplicates in a large corpus."),
    (FIND, "estimate", "Estimate time, memory and disk of a corpus run."),
    (FIND, "spark", "Mark or remove the duplicates in a corpus, with Spark."),
    (FIND, "boilerplate", "List the lines that many pages of one host share."),
    (FIND, "pairs", "Find all pairs of texts that overlap, exactly."),
    (FIND, "search_results", "Remove duplicates from a ranked list, keeping its order."),
    (FIND, "compare", "Compare two articles, or many pairs."),
    (FIND, "explain", "Explain the relation of two articles, side by side."),
    (QUERY, "check", "Check whether articles are in a store; nothing is written."),
    (QUERY, "add", "Check articles and add them to a store, atomically."),
    (QUERY, "similar", "List the articles most similar to one in a store."),
    (QUERY, "stories", "List the stories in a store, or show one."),
    (QUERY, "review", "Review borderline pairs, and record feedback on them."),
    (QUERY, "feedback", "Record whether two articles are duplicates."),
    (QUERY, "action", "Change the kept copy, or split or merge stories."),
    (QUERY, "stats", "Show counts, duplicate rate and latency of a store."),
    (STREAM, "consume", "Check and add the articles of a stream as they arrive."),
    (STREAM, "feeds", "Poll feeds, and report each new story once."),
    (MAINTAIN, "forget", "Remove articles from a store, by id."),
    (MAINTAIN, "purge", "Remove all articles older than a date."),
    (MAINTAIN, "verify", "Check the integrity of a store; exit with 1 if one fails."),
    (MAINTAIN, "recluster", "Cluster all articles of a store again, in one batch."),
    (MAINTAIN, "migrate", "Migrate a store to the latest schema, or to another."),
    (MAINTAIN, "copy_store", "Copy a store into another, and verify the copy."),
    (MAINTAIN, "rebuild", "Fingerprint a store again, into another store or pool."),
    (MAINTAIN, "export", "Write the articles of a store to a file, with verdicts."),
    (MAINTAIN, "import_", "Import articles from a file, or restore a whole export."),
    (SERVE, "serve", "Serve the HTTP API and the web pages."),
    (SERVE, "token", "Create, list and revoke tokens of the service."),
    (SERVE, "mcp", "Serve tools to assistants over MCP (stdio)."),
    (MEASURE, "eval_", "Measure accuracy on labelled articles; list mistakes."),
    (MEASURE, "tune", "Fit a policy and its confidence to labels or feedback."),
    (SETTINGS, "presets", "List the presets, or write one as a policy file."),
    (SETTINGS, "fingerprint", "Show the fingerprint of each article in a file."),
)
