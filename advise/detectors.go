package advise

// detectors are all of them, in the order in which what is fine is listed. The
// numbers in their comments are those of the project's table of detectors.
var detectors = []detector{
	{id: "missing-index", about: "queries that read a table row by row for want of an index", look: missingIndex, needs: hasSlow, explains: []string{"hot-route", "saturated", "chatty-query", "pool-too-small"}},
	{id: "sort-for-few", about: "many rows sorted or grouped to show a few", look: sortForFew, needs: hasSlow, explains: []string{"hot-route", "saturated"}},
	{id: "query-loop", about: "queries in a loop (N+1)", look: loops(false), needs: hasSlow, explains: []string{"chatty-query"}},
	{id: "write-loop", about: "rows written one by one", look: loops(true), needs: hasSlow},
	{id: "chatty-query", about: "quick queries in great number", look: chatty, needs: hasSlow},
	{id: "prepare-chatter", about: "statements prepared for one execution", look: prepares, needs: hasDB},
	{id: "commit-fsync", about: "commits that wait for the disk", look: commits, needs: hasDB},
	{id: "buffer-pool", about: "the size of the buffer pool", look: bufferPool, needs: hasDB},
	{id: "lock-wait", about: "statements that wait for locks", look: locks, needs: hasSlow},
	{id: "query-cache", about: "the query cache", look: queryCache, needs: hasDB},
	{id: "fat-rows", about: "large values from the database", look: fatRows, needs: hasSlow},
	{id: "pool-too-small", about: "the app's pool of connections", look: poolTooSmall, needs: hasDB},
	{id: "pools-exceed-server", about: "max_connections", look: poolsExceedServer, needs: hasDB, explains: []string{"server-errors"}},
	{id: "connection-churn", about: "database connections opened again and again", look: connectionChurn, needs: hasDB},

	{id: "ports", about: "local ports", look: ports, needs: hasNetwork, explains: []string{"server-errors", "upstream-keepalive", "upstream-retries"}},
	{id: "accept-queue", about: "accept queues", look: acceptQueue, needs: hasNetwork, explains: []string{"server-errors"}},
	{id: "handshakes", about: "the kernel's tables of connections", look: handshakes, needs: hasNetwork},
	{id: "conntrack", about: "the firewall's table", look: conntrack, needs: hasNetwork},
	{id: "file-limit", about: "limits of open files", look: fileLimits, needs: hasParts, explains: []string{"server-errors"}},
	{id: "nginx-slots", about: "nginx's worker_connections", look: nginxSlots, needs: hasNginx, explains: []string{"server-errors"}},
	{id: "upstream-keepalive", about: "kept connections from nginx to the app", look: upstreamKeepAlive, needs: hasAccess},
	{id: "upstream-retries", about: "requests that nginx had to repeat", look: retriesUpstream, needs: hasAccess},
	{id: "client-keepalive", about: "kept connections of clients", look: clientKeepAlive, needs: hasNginx},
	{id: "nginx-workers", about: "the number of nginx's workers", look: nginxWorkers, needs: hasNginx},
	{id: "proxy-spill", about: "bodies in temporary files", look: proxyOverhead, needs: hasAccess},

	{id: "saturated", about: "what limits the run", look: saturated, explains: []string{}},
	{id: "hot-thread", about: "a single thread at its limit", look: hotThread, needs: hasParts},
	{id: "app-workers", about: "the number of the app's workers", look: appWorkers, needs: hasParts},
	{id: "memory", about: "memory", look: memory},
	{id: "file-reads", about: "files and programs for each request", look: fileReads, needs: hasParts},
	{id: "log-writer", about: "what the app logs", look: logWriters, needs: hasParts},

	{id: "server-errors", about: "failed requests", look: serverErrors, needs: hasAccess},
	{id: "hot-route", about: "routes that take most of the time", look: hotRoutes, needs: hasAccess},
	{id: "static-via-app", about: "files served by the app", look: staticViaApp, needs: hasAccess},
	{id: "big-answers", about: "bytes a second", look: bigAnswers, needs: hasAccess},
	{id: "redis", about: "Redis", look: redisTalk, needs: func(v *view) bool { return v.p.Redis != nil }},
	{id: "cache-misses", about: "memcached", look: cacheMisses, needs: func(v *view) bool { return v.p.Memcached != nil }},

	{id: "drift", about: "what changed since the run before", look: drift},
	{id: "trust", about: "how far the score can be believed", look: trust},
	{id: "noise", about: "steal and disk waits", look: noisy},
	{id: "foreign-load", about: "other processes on the machine", look: foreign},
}
