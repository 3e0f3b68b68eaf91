package selection

import "hotseat"

// Routes are the columns of an access digest's routes. Times are in seconds.
func Routes() Columns[hotseat.AccessRoute] {
	type row = hotseat.AccessRoute
	c := Columns[row]{
		"method":   {Text: func(r *row) string { return r.Method }},
		"template": {Text: func(r *row) string { return r.Template }},
	}
	number := func(name string, f func(*row) float64) { c[name] = Column[row]{Number: f} }
	number("count", func(r *row) float64 { return float64(r.Count) })
	number("share", func(r *row) float64 { return r.Share })
	number("errors", func(r *row) float64 { return float64(r.Status.Errors()) })
	number("1xx", func(r *row) float64 { return float64(r.Status.Info) })
	number("2xx", func(r *row) float64 { return float64(r.Status.Success) })
	number("3xx", func(r *row) float64 { return float64(r.Status.Redirection) })
	number("4xx", func(r *row) float64 { return float64(r.Status.Client) })
	number("499", func(r *row) float64 { return float64(r.Status.GaveUp) })
	number("5xx", func(r *row) float64 { return float64(r.Status.Server) })
	number("bytes", func(r *row) float64 { return float64(r.Bytes.Sum) })
	number("mean_bytes", func(r *row) float64 { return r.Bytes.Mean })
	number("max_bytes", func(r *row) float64 { return float64(r.Bytes.Max) })
	number("retries", func(r *row) float64 { return float64(r.Retries) })
	spread(c, "", func(r *row) hotseat.Spread { return r.Time() })
	spread(c, "upstream_", func(r *row) hotseat.Spread { return r.UpstreamTime })
	return c
}

// Classes are the columns of a slow digest's query classes. Times are in seconds.
func Classes() Columns[hotseat.QueryClass] {
	type row = hotseat.QueryClass
	c := Columns[row]{
		"id":          {Text: func(r *row) string { return r.ID }},
		"fingerprint": {Text: func(r *row) string { return r.Fingerprint }},
		"verb":        {Text: func(r *row) string { return r.Verb }},
	}
	number := func(name string, f func(*row) float64) { c[name] = Column[row]{Number: f} }
	number("count", func(r *row) float64 { return float64(r.Count) })
	number("share", func(r *row) float64 { return r.Share })
	number("sent", func(r *row) float64 { return float64(r.RowsSent.Sum) })
	number("examined", func(r *row) float64 { return float64(r.RowsExamined.Sum) })
	number("affected", func(r *row) float64 { return float64(r.RowsAffected.Sum) })
	number("bytes", func(r *row) float64 { return float64(r.BytesSent.Sum) })
	number("examined_per_sent", func(r *row) float64 { return r.ExaminedPerSent })
	number("lock_share", func(r *row) float64 { return r.LockShare })
	number("full_scan", func(r *row) float64 { return float64(r.Plans.FullScan) })
	number("filesort", func(r *row) float64 { return float64(r.Plans.Filesort) })
	number("longest_run", func(r *row) float64 { return float64(r.LongestRun) })
	number("errors", func(r *row) float64 { return float64(r.Errors) })
	spread(c, "", func(r *row) hotseat.Spread { return r.QueryTime })
	spread(c, "lock_", func(r *row) hotseat.Spread { return r.LockTime })
	return c
}

// spread adds the columns of durations.
func spread[R any](c Columns[R], prefix string, get func(*R) hotseat.Spread) {
	for name, f := range map[string]func(hotseat.Spread) float64{
		"sum": func(s hotseat.Spread) float64 { return s.Sum }, "mean": func(s hotseat.Spread) float64 { return s.Mean },
		"min": func(s hotseat.Spread) float64 { return s.Min }, "p50": func(s hotseat.Spread) float64 { return s.P50 },
		"p90": func(s hotseat.Spread) float64 { return s.P90 }, "p95": func(s hotseat.Spread) float64 { return s.P95 },
		"p99": func(s hotseat.Spread) float64 { return s.P99 }, "max": func(s hotseat.Spread) float64 { return s.Max },
	} {
		c[prefix+name] = Column[R]{Number: func(r *R) float64 { return f(get(r)) }}
	}
}

// Edges are the columns of a join.
func Edges() Columns[hotseat.JoinEdge] {
	type row = hotseat.JoinEdge
	return Columns[row]{
		"method":        {Text: func(r *row) string { return r.HTTPMethod }},
		"template":      {Text: func(r *row) string { return r.Template }},
		"id":            {Text: func(r *row) string { return r.QueryID }},
		"fingerprint":   {Text: func(r *row) string { return r.Fingerprint }},
		"per_request":   {Number: func(r *row) float64 { return r.PerRequest }},
		"statements":    {Number: func(r *row) float64 { return float64(r.Statements) }},
		"time":          {Number: func(r *row) float64 { return r.TimeS }},
		"share_of_time": {Number: func(r *row) float64 { return r.ShareOfTime }},
	}
}
