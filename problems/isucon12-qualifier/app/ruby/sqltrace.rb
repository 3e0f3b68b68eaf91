require 'json'
require 'sqlite3'
require 'time'

module Isuports
  # A SQLite connection that writes one JSON line per statement to the file that
  # ISUCON_SQLITE_TRACE_FILE names.
  class TracedDatabase < SQLite3::Database
    def self.trace_file
      @trace_file ||= File.open(ENV.fetch('ISUCON_SQLITE_TRACE_FILE'), 'a').tap { |file| file.sync = true }
    end

    def execute(sql, bind_vars = [], *rest, &block)
      started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      changes_before = total_changes
      super
    ensure
      if started
        self.class.trace_file.write(JSON.generate(
          time: Time.now.iso8601(6),
          statement: sql,
          args: bind_vars,
          query_time: Process.clock_gettime(Process::CLOCK_MONOTONIC) - started,
          affected_rows: total_changes - changes_before,
        ) + "\n")
      end
    end
  end
end
