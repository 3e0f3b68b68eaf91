// Package accesslog digests access logs of any web server: LTSV, JSON lines,
// combined, or what a regular expression describes. One pass, memory that does
// not grow with the log, and no allocation per line.
//
// What makes it more than a sum: paths are put together by templates that
// package template finds; the format is told from the log itself, and so is
// the unit of its times (Apache writes microseconds where nginx writes seconds);
// the lists that retries leave in $upstream_response_time are added up and
// counted; and a line that cannot be read is counted and shown, never dropped.
package accesslog

// NginxLogFormat is the log_format directive that hotseat's own runs add, by
// the name "hotseat": alp's labels first, so that alp reads it too, then what tells of
// kept connections (conntime 0.000), the split over hosts, and the request
// id that joins requests and statements. escape=default, nginx's own, writes tabs
// and line ends as \x09 and \x0A, so a value never looks like a label.
const NginxLogFormat = `log_format ` + NginxLogName + ` '` + nginxLTSV + `';`

// NginxLogName is the name of that format, for access_log.
const NginxLogName = "hotseat"

// NginxLogVariables is the format itself, without the directive around it.
const NginxLogVariables = nginxLTSV

const nginxLTSV = `time:$time_local\tmethod:$request_method\turi:$request_uri\tstatus:$status\tsize:$body_bytes_sent` +
	`\treqtime:$request_time\tapptime:$upstream_response_time\tconntime:$upstream_connect_time\theadtime:$upstream_header_time` +
	`\tmsec:$msec\tupstream:$upstream_addr\tcachestatus:$upstream_cache_status\tencoding:$sent_http_content_encoding` +
	`\treqsize:$request_length\tconn:$connection\tconnreqs:$connection_requests\tpipe:$pipe\thost:$host\treqid:$request_id`
